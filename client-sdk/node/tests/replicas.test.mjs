// Tests of the choice of replicas, with a clock of the test.
import assert from "node:assert/strict";
import { test } from "node:test";
import { internal } from "./support.mjs";

const { Replicas } = await internal("replicas.js");
const { GoingAwayReason } = await internal("gen/watchgate/v1/watch_pb.js");

const failure = (reason) => ({ code: "UNAVAILABLE", reason, action: "RESUME", message: "it failed", retryAfterMs: 0 });

function start(t, first = 0) {
  let now = 1_000_000;
  t.mock.method(performance, "now", () => now);
  t.mock.method(Math, "random", () => 0.9);
  const names = ["a", "b", "c"];
  const replicas = new Replicas(names.map((name) => ({ name, close() {} })), first);
  return { choose: () => replicas.choose(), nameOf: () => replicas.choose().transport.name, pass: (time) => (now += time) };
}

test("replicas take turns from the first one on", (t) => {
  const { nameOf } = start(t, 1);
  assert.deepEqual([nameOf(), nameOf(), nameOf(), nameOf()], ["b", "c", "a", "b"]);
});

test("replica that failed is avoided, longer each time, until it answers", (t) => {
  const { choose, nameOf, pass } = start(t);
  const a = choose();
  a.recordFailure(failure(""));
  assert.deepEqual([nameOf(), nameOf(), nameOf()], ["b", "c", "b"]);
  pass(901);
  assert.deepEqual([nameOf(), nameOf()], ["c", "a"]);
  a.recordFailure(failure(""));
  a.recordFailure(failure("")); // another stream of the same connection
  pass(1799);
  assert.ok(a.isAvoided);
  pass(2);
  assert.ok(!a.isAvoided);
  a.recordFailure(failure(""));
  a.recordAnswer();
  assert.ok(!a.isAvoided);
});

for (const [reason, time] of [["DRAINING", 30_000], ["REBALANCING", 10_000], ["BEHIND", 5_000], ["ACCESS_DENIED", 0]]) {
  test(`replica is avoided for ${time} ms after ${reason}`, (t) => {
    const { choose, pass } = start(t);
    const replica = choose();
    replica.recordFailure(failure(reason));
    pass(time - 1);
    assert.equal(replica.isAvoided, time > 0);
    pass(1);
    assert.ok(!replica.isAvoided);
  });
}

test("answer does not end the time of a replica that shuts down", (t) => {
  const { choose, pass } = start(t);
  const replica = choose();
  replica.recordGoingAway(GoingAwayReason.DRAINING);
  replica.recordAnswer();
  pass(29_999);
  assert.ok(replica.isAvoided);
});

test("replicas that all failed are tried in turn", (t) => {
  const { choose, nameOf } = start(t);
  for (let count = 0; count < 3; count++) choose().recordFailure(failure("DRAINING"));
  assert.deepEqual([nameOf(), nameOf(), nameOf(), nameOf()], ["a", "b", "c", "a"]);
});
