// Tests of Client.reflect.
import assert from "node:assert/strict";
import { test } from "node:test";
import { status } from "@grpc/grpc-js";
import { connect } from "@watchgate/client";
import { SNAPSHOT, startScripted } from "./scripted.mjs";
import { internal, next, start, until, within } from "./support.mjs";

const { jsonOf } = await internal("store.js");
const { PendingDifferences } = await internal("pending.js");
const { Change } = await internal("updates.js");
const PODS = { resource: "pods" };
const difference = (name, old, now) => ({ namespace: "shop", name, old, new: now });

test("store follows", async (t) => {
  const { gateway, client } = await start(t);
  gateway.put("shop", "web", { node: 1 });
  gateway.put("other", "web", { node: 9 });
  const store = client.reflect(PODS, { decode: (json) => `node ${JSON.parse(json).node}` });
  await within(store.synced());
  assert.deepEqual([store.size, store.get("shop", "web"), store.list("shop"), store.list()], [2, "node 1", ["node 1"], ["node 1", "node 9"]]);
  assert.ok(store.has("shop", "web") && !store.has("shop", "api"));
  const changes = store.changes();
  assert.deepEqual(await next(changes), difference("web", undefined, "node 1"));
  await next(changes);
  gateway.put("shop", "web", { node: 2 });
  assert.deepEqual(await next(changes), difference("web", "node 1", "node 2"));
  gateway.delete("shop", "web");
  assert.deepEqual(await next(changes), difference("web", "node 2", undefined));
  assert.deepEqual([store.size, store.failure, store.error], [1, undefined, undefined]);
  await changes.return();
  await store.close();
  await until(() => gateway.openStreams === 0);
});

test("slow reader gets one difference for each object", async (t) => {
  const { gateway, client } = await start(t);
  const store = client.reflect(PODS);
  await within(store.synced());
  const changes = store.changes();
  gateway.put("shop", "web", [0]);
  assert.deepEqual(await next(changes), difference("web", undefined, [0]));
  for (let value = 1; value < 100; value++) gateway.put("shop", "web", [value]);
  gateway.put("shop", "brief", [1]);
  gateway.delete("shop", "brief");
  await within(store.waitAtLeast(gateway.put("shop", "last", [1])));
  assert.deepEqual(await next(changes), difference("web", [0], [99]));
  assert.deepEqual(await next(changes), difference("last", undefined, [1]));
});

test("objects that were created and deleted wait for no reader", () => {
  const pending = new PendingDifferences();
  const pods = { namespace: "shop", name: "brief" };
  for (let number = 0; number < 10_000; number++) {
    pending.change(`shop/${number}`, pods, undefined, [1]);
    pending.change(`shop/${number}`, pods, [1], [2]);
    pending.change(`shop/${number}`, pods, [2], undefined);
    pending.change(`shop/${number}`, pods, undefined, undefined);
  }
  assert.equal(pending.size, 0);
  pending.change("shop/known", pods, [1], undefined);
  assert.deepEqual([...pending.taken()], [["shop/known", { ...pods, old: [1] }]]);
});

test("failure is gone once a stream is open", async (t) => {
  let streams = 0;
  let open;
  const server = await startScripted(t, ({ send, fail }) => {
    if (++streams > 1) open = () => send({ signal: { case: "opened", value: { streamId: "scripted" } } });
    else {
      send(...SNAPSHOT);
      open = () => fail(status.UNAVAILABLE);
    }
  });
  const client = connect(server.address);
  t.after(() => client.close());
  const store = client.reflect(PODS);
  await within(store.synced());
  open();
  await until(() => store.failure?.code === "UNAVAILABLE" && streams === 2);
  open();
  await until(() => store.failure === undefined);
});

test("waitAtLeast waits for a version", async (t) => {
  const { gateway, client } = await start(t);
  const store = client.reflect(PODS);
  await within(store.synced());
  const version = gateway.put("shop", "web", [1]);
  assert.ok(!store.has("shop", "web"));
  await within(store.waitAtLeast(version));
  assert.ok(store.has("shop", "web"));
  assert.equal(store.resourceVersion, version);
  await assert.rejects(store.waitAtLeast("no version"), SyntaxError);
});

test("signal ends a wait, and not the store", async (t) => {
  const { client } = await start(t);
  const store = client.reflect(PODS);
  await within(store.synced());
  const ending = new AbortController();
  const waits = [store.waitAtLeast("99999999999999999999", { signal: ending.signal }), store.changes({ signal: ending.signal }).next()];
  ending.abort();
  for (const wait of waits) await assert.rejects(within(wait), { name: "AbortError" });
  await assert.rejects(store.waitAtLeast("99", { signal: ending.signal }), { name: "AbortError" });
  assert.equal(store.error, undefined);
});

test("where finds by indexes", async (t) => {
  const { gateway, client } = await start(t);
  const indexes = { node: (pod) => [pod.node], app: (pod) => pod.apps };
  const store = client.reflect(PODS, { indexes });
  gateway.put("shop", "a", { node: "n1", apps: ["x", "y"] });
  await within(store.waitAtLeast(gateway.put("shop", "b", { node: "n1", apps: ["x"] })));
  assert.equal(store.where({ node: "n1", app: "x" }).length, 2);
  assert.deepEqual(store.where({ node: "n1", app: "y" }), [store.get("shop", "a")]);
  store.get("shop", "a").node = "of the program";
  gateway.put("shop", "a", { node: "n2", apps: [] });
  await within(store.waitAtLeast(gateway.delete("shop", "b")));
  assert.deepEqual([store.where({ node: "n1" }), store.where({ app: "x" })], [[], []]);
  assert.deepEqual(store.where({ node: "n2" }), [store.get("shop", "a")]);
  assert.deepEqual(store.where({}), [store.get("shop", "a")]);
  assert.throws(() => store.where({ zone: "z" }), /has no index zone/);
});

test("new snapshot replaces the state", async (t) => {
  const { gateway, client } = await start(t);
  for (const name of ["kept", "gone"]) gateway.put("shop", name, [1]);
  const store = client.reflect(PODS);
  await within(store.synced());
  const kept = store.get("shop", "kept");
  gateway.cut();
  gateway.delete("shop", "gone");
  const version = gateway.put("shop", "new", [1]);
  gateway.expireTokens();
  await within(store.waitAtLeast(version));
  assert.deepEqual([store.size, store.has("shop", "gone"), store.has("shop", "new")], [2, false, true]);
  assert.equal(store.get("shop", "kept"), kept);
});

test("store keeps its state while no gateway answers", async (t) => {
  const { gateway, client } = await start(t);
  gateway.put("shop", "web", [1]);
  const store = client.reflect(PODS);
  await within(store.synced());
  gateway.close();
  await until(() => store.failure?.code === "UNAVAILABLE");
  assert.deepEqual([store.get("shop", "web"), store.error], [[1], undefined]);
});

test("STOP is thrown, and the state is kept", async (t) => {
  const { gateway, client } = await start(t);
  gateway.put("shop", "web", [1]);
  const store = client.reflect(PODS);
  await within(store.synced());
  const reading = drain(store);
  gateway.refuse("ACCESS_CHANGED");
  await assert.rejects(within(reading), /ACCESS_CHANGED/);
  await assert.rejects(within(store.waitAtLeast("99")), /ACCESS_CHANGED/);
  assert.deepEqual(store.get("shop", "web"), [1]);
  assert.equal(store.error.failure, store.failure);
});

test("exception of decode ends the store", async (t) => {
  const { gateway, client } = await start(t);
  const store = client.reflect(PODS, {
    decode: (json) => {
      throw new RangeError(`not ${json}`);
    },
  });
  await within(store.synced());
  gateway.put("shop", "web", "read");
  await assert.rejects(within(store.waitAtLeast("1")), RangeError);
  assert.ok(store.error instanceof RangeError);
  await until(() => gateway.openStreams === 0);
});

test("end of the store, of its signal or of the client ends the waits", async (t) => {
  const { client } = await start(t);
  const ending = new AbortController();
  const ends = [
    { text: /the store is closed/, end: (store) => store.close() },
    { text: /aborted/, end: () => ending.abort() },
    { text: /the client is closed/, end: () => client.close() },
  ];
  for (const { text, end } of ends) {
    const store = client.reflect(PODS, ending.signal.aborted ? {} : { signal: ending.signal });
    await within(store.synced());
    const waits = [store.waitAtLeast("99"), drain(store)].map((wait) => assert.rejects(within(wait), text));
    await end(store);
    await Promise.all(waits);
    assert.match(String(store.error), text);
    await store.close();
    assert.match(String(store.error), text, "a later end is none");
  }
});

test("object without a body has the metadata that identifies it", () => {
  const change = new Change("ADDED", "", "node-1", "u", "7", undefined);
  assert.deepEqual(JSON.parse(jsonOf(change)), { metadata: { name: "node-1", uid: "u", resourceVersion: "7" } });
});

async function drain(store) {
  for await (const _ of store.changes());
}
