// Tests of Client.watch and Client.updates.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, WatchgateError } from "@watchgate/client";
import { FakeGateway } from "@watchgate/client/testing";
import { at, SNAPSHOT, startScripted } from "./scripted.mjs";
import { internal, line, next, randomOf, start, until, within } from "./support.mjs";

const { EventType, NetEffectReason } = await internal("gen/watchgate/v1/watch_pb.js");

const PODS = { resource: "pods" };

test("objects come, then changes", async (t) => {
  const { gateway, client } = await start(t);
  gateway.put("shop", "web", { a: 1 });
  const changes = client.watch(PODS);
  const first = await next(changes);
  assert.equal(line(first), "ADDED shop/web");
  assert.deepEqual([first.object, first.text, first.namespace, first.name], [{ a: 1 }, '{"a":1}', "shop", "web"]);
  assert.equal(first.object, first.object);
  gateway.put("shop", "web", 2);
  assert.equal(line(await next(changes)), "MODIFIED shop/web");
  gateway.delete("shop", "web");
  const deleted = await next(changes);
  assert.deepEqual([line(deleted), deleted.object], ["DELETED shop/web", 2]);
});

test("broken stream resumes without repeating", async (t) => {
  const { gateway, client } = await start(t);
  gateway.put("shop", "web", 1);
  const changes = client.watch(PODS);
  await next(changes);
  gateway.cut();
  gateway.put("shop", "api", 2);
  assert.equal(line(await next(changes)), "ADDED shop/api");
});

test("change of an unknown type is replaced by a snapshot", async (t) => {
  const { gateway, client } = await start(t);
  gateway.put("shop", "web", 1);
  const changes = client.watch(PODS);
  await next(changes);
  // Of a later version of the contract; the fake gateway makes none.
  gateway.record(99, { namespace: "shop", name: "web", uid: "" }, new Uint8Array([49]));
  gateway.put("shop", "api", 2);
  assert.equal(line(await next(changes)), "ADDED shop/api");
});

test("only a new position ends the row of failures", async (t) => {
  const { gateway, client } = await start(t);
  t.mock.method(Math, "random", () => 0.01);
  const updates = client.updates(PODS);
  assert.equal((await next(updates)).kind, "SNAPSHOT");
  const delays = [];
  for (let count = 0; count < 3; count++) {
    gateway.cut();
    delays.push((await next(updates)).delayMs);
    assert.equal((await next(updates)).kind, "RESUMED");
  }
  gateway.put("shop", "web", 1);
  assert.equal((await next(updates)).kind, "CHANGES");
  gateway.cut();
  delays.push((await next(updates)).delayMs);
  assert.deepEqual(delays, [5, 10, 20, 5]);
});

test("snapshots after changes of an unknown type become rarer", async (t) => {
  const { gateway, client } = await start(t);
  t.mock.method(Math, "random", () => 0.01);
  const updates = client.updates(PODS);
  assert.equal((await next(updates)).kind, "SNAPSHOT");
  const delays = [];
  for (let count = 0; count < 4; count++) {
    gateway.put("shop", "web", count);
    assert.equal((await next(updates)).kind, "CHANGES");
    gateway.record(99, { namespace: "shop", name: "web", uid: "" }, new Uint8Array([49]));
    const { failure, delayMs } = await next(updates);
    assert.equal(failure.action, "RESTART");
    delays.push(delayMs);
    assert.equal((await next(updates)).kind, "SNAPSHOT");
  }
  assert.deepEqual(delays, [5, 10, 20, 40]);
});

test("new snapshot gives differences", async (t) => {
  const { gateway, client } = await start(t);
  for (const name of ["kept", "changed", "gone", "again"]) gateway.put("shop", name, 1);
  const changes = client.watch(PODS);
  for (let count = 0; count < 4; count++) await next(changes);
  gateway.cut();
  gateway.delete("shop", "gone");
  gateway.delete("shop", "again");
  gateway.put("shop", "changed", 2);
  gateway.put("shop", "again", 1);
  gateway.put("shop", "new", 3);
  gateway.expireTokens();
  const lines = [];
  for (let count = 0; count < 5; count++) lines.push(line(await next(changes)));
  assert.deepEqual(lines.slice(0, 2).sort(), ["DELETED shop/again", "DELETED shop/gone"]);
  assert.deepEqual(lines.slice(2).sort(), ["ADDED shop/again", "ADDED shop/new", "MODIFIED shop/changed"]);
});

test("net effect is named, and ends with its changes", async (t) => {
  const added = { type: EventType.ADDED, body: { case: "object", value: new Uint8Array([49]) } };
  const { address } = await startScripted(t, ({ send }) =>
    send(
      ...SNAPSHOT,
      { signal: { case: "netEffectStarted", value: { reason: NetEffectReason.LAG, eventsReplaced: 7n } } },
      { events: [added] },
      at("9"),
      { signal: { case: "netEffectStarted", value: { reason: 99 } } }, // of a later version of the contract
      at("10"),
      { ...at("11"), events: [added] },
    ),
  );
  const client = connect(address);
  t.after(() => client.close());
  const updates = client.updates(PODS);
  await next(updates);
  const found = [await next(updates), await next(updates), await next(updates)];
  assert.deepEqual(found.map(({ kind, changes }) => [kind, changes.length]), [["CHANGES", 1], ["CHANGES", 0], ["CHANGES", 1]]);
  assert.deepEqual(found.map(({ netEffect }) => netEffect), [{ reason: "LAG", eventsReplaced: 7n }, { reason: "99", eventsReplaced: 0n }, undefined]);
});

test("expired token of the present state gets a snapshot", async (t) => {
  const { gateway, client } = await start(t);
  gateway.put("shop", "web", 1);
  const updates = client.updates(PODS);
  const kinds = [(await next(updates)).kind];
  gateway.expireTokens();
  gateway.cut();
  kinds.push((await next(updates)).kind, (await next(updates)).kind);
  gateway.put("shop", "web", 2);
  kinds.push((await next(updates)).kind);
  gateway.cut();
  kinds.push((await next(updates)).kind, (await next(updates)).kind);
  assert.deepEqual(kinds, ["SNAPSHOT", "INTERRUPTED", "SNAPSHOT", "CHANGES", "INTERRUPTED", "RESUMED"]);
});

test("expired position fails if the program asks for it", async (t) => {
  const { gateway, client } = await start(t);
  const updates = client.updates(PODS, { expired: "FAIL" });
  await next(updates);
  gateway.refuse("POSITION_EXPIRED", "RESTART");
  assert.equal((await next(updates)).failure.reason, "POSITION_EXPIRED");
  await assert.rejects(within(updates.next()), (error) => error instanceof WatchgateError && error.failure.reason === "POSITION_EXPIRED");
});

test("RESTART begins with a snapshot", async (t) => {
  const { gateway, client } = await start(t);
  const updates = client.updates(PODS);
  await next(updates);
  gateway.refuse("POSITION_EXPIRED", "RESTART");
  assert.equal((await next(updates)).kind, "INTERRUPTED");
  gateway.refuse("");
  assert.equal((await next(updates)).kind, "SNAPSHOT");
});

test("namespaces are selected", async (t) => {
  const { gateway, client } = await start(t);
  gateway.put("shop", "web", 1);
  gateway.put("other", "web", 1);
  const { objects } = await client.list({ resource: "pods", namespaces: ["shop"] });
  assert.deepEqual(objects.map(line), ["ADDED shop/web"]);
});

test("STOP is thrown", async (t) => {
  const { client } = await start(t);
  await assert.rejects(within(client.watch({ resource: "pods", labels: "app=web" }).next()), (error) => {
    assert.ok(error instanceof WatchgateError);
    assert.deepEqual([error.failure.code, error.failure.reason, error.failure.action], ["INVALID_ARGUMENT", "SELECTOR_INVALID", "STOP"]);
    return true;
  });
});

test("closed client ends watches", async (t) => {
  const { gateway, client } = await start(t);
  gateway.put("shop", "web", 1);
  const changes = client.watch(PODS);
  await next(changes);
  const waiting = changes.next();
  client.close();
  await assert.rejects(within(waiting), /the client is closed/);
  await assert.rejects(within(client.watch(PODS).next()), /the client is closed/);
  await assert.rejects(within(client.list(PODS)), /the client is closed/);
  await until(() => gateway.openStreams === 0);
});

test("closed client ends the wait for the next attempt", async (t) => {
  const { gateway, client } = await start(t);
  const updates = client.updates(PODS);
  gateway.refuse("STARTING", "RESUME");
  for (let failure = 0; failure < 3; failure++) assert.equal((await next(updates)).kind, "INTERRUPTED");
  const waiting = updates.next();
  client.close();
  await assert.rejects(within(waiting), /the client is closed/);
});

test("updates resume after a token", async (t) => {
  const { gateway, client } = await start(t);
  gateway.put("shop", "web", 1);
  const before = client.updates(PODS);
  const { kind, objects, resourceVersion, token } = await next(before);
  assert.deepEqual([kind, objects.map(line), resourceVersion], ["SNAPSHOT", ["ADDED shop/web"], "1"]);
  await before.return();
  gateway.put("shop", "api", 1);
  const after = client.updates(PODS, { token });
  assert.equal((await next(after)).kind, "RESUMED");
  assert.deepEqual((await next(after)).changes.map(line), ["ADDED shop/api"]);
});

test("list has the token after it", async (t) => {
  const { gateway, client } = await start(t);
  gateway.put("shop", "web", 1);
  const { token } = await client.list(PODS);
  gateway.put("shop", "api", 1);
  const updates = client.updates(PODS, { token });
  assert.equal((await next(updates)).kind, "RESUMED");
  assert.deepEqual((await next(updates)).changes.map(line), ["ADDED shop/api"]);
});

test("break ends the stream", async (t) => {
  const { gateway, client } = await start(t);
  gateway.put("shop", "web", 1);
  for await (const _ of client.watch(PODS)) break;
  await until(() => gateway.openStreams === 0);
});

test("return ends an iteration that waits", async (t) => {
  const { gateway, client } = await start(t);
  const changes = client.watch(PODS);
  const waiting = changes.next();
  await until(() => gateway.openStreams === 1);
  assert.deepEqual(await within(changes.return()), { done: true, value: undefined });
  assert.deepEqual(await within(waiting), { done: true, value: undefined });
  await until(() => gateway.openStreams === 0);
});

test("signal ends an iteration with its reason", async (t) => {
  const { gateway, client } = await start(t);
  const ending = new AbortController();
  const waiting = client.watch(PODS, { signal: ending.signal }).next();
  await until(() => gateway.openStreams === 1);
  const reason = new Error("enough");
  ending.abort(reason);
  await assert.rejects(within(waiting), reason);
  await assert.rejects(client.watch(PODS, { signal: ending.signal }).next(), reason);
  await assert.rejects(client.list(PODS, { signal: ending.signal }), reason);
  await until(() => gateway.openStreams === 0);
});

test("signal of many watches makes no warning, and ends them all", async (t) => {
  const { gateway, client } = await start(t);
  const warnings = [];
  const warn = (warning) => warnings.push(warning.message);
  process.on("warning", warn);
  t.after(() => process.off("warning", warn));
  const ending = new AbortController();
  const stores = Array.from({ length: 50 }, () => client.reflect(PODS, { signal: ending.signal }));
  await within(Promise.all(stores.map((store) => store.synced())));
  const waits = stores.map((store) => assert.rejects(store.waitAtLeast("99", { signal: ending.signal }), { name: "AbortError" }));
  ending.abort();
  await within(Promise.all(waits));
  await until(() => gateway.openStreams === 0 && stores.every((store) => store.error));
  assert.deepEqual(warnings, []);
});

test("signal ends the wait for a token", async (t) => {
  const { client } = await start(t, { token: () => new Promise(() => {}) });
  const ending = new AbortController();
  const waits = [client.watch(PODS, { signal: ending.signal }).next(), client.list(PODS, { signal: ending.signal })];
  ending.abort();
  for (const wait of waits) await assert.rejects(within(wait), { name: "AbortError" });
});

test("signal at any moment ends the stream", async (t) => {
  const { gateway, client } = await start(t);
  const random = randomOf(t);
  gateway.put("shop", "web", 1);
  for (let count = 0; count < 300; count++) {
    const ending = new AbortController();
    const watch = (async () => {
      for await (const _ of client.watch(PODS, { signal: ending.signal })) await sleep(2);
    })();
    const ended = assert.rejects(watch, { name: "AbortError" });
    await sleep(random() * 6);
    ending.abort();
    await within(ended);
  }
  await until(() => gateway.openStreams === 0);
});

test("next server is used while one is away", async (t) => {
  const { gateway, client } = await start(t);
  client.close();
  const other = await FakeGateway.start();
  t.after(() => other.close());
  const both = connect([gateway.address, other.address], { startAtFirst: true });
  t.after(() => both.close());
  const updates = both.updates(PODS);
  await next(updates);
  assert.deepEqual([gateway.openStreams, other.openStreams], [1, 0]);
  gateway.close();
  assert.equal((await next(updates)).kind, "INTERRUPTED");
  assert.equal((await next(updates)).kind, "RESUMED");
  assert.equal(other.openStreams, 1);
});

test("missing token is no failure of a replica", async (t) => {
  const { gateway, client } = await start(t);
  client.close();
  let token = "";
  const only = connect([gateway.address, "127.0.0.1:9"], { startAtFirst: true, token: () => token });
  t.after(() => only.close());
  const updates = only.updates(PODS);
  assert.match((await next(updates)).failure.message, /there is no token to send/);
  await assert.rejects(only.list(PODS, { timeoutMs: 100 }), /there is no token to send/);
  token = "secret";
  // The turn is still that of the first replica.
  assert.equal((await next(updates)).kind, "SNAPSHOT");
});

test("pages are one list", async (t) => {
  const { gateway, client } = await start(t);
  const names = Array.from({ length: 250 }, (_, number) => `pod-${number}`);
  for (const name of names) gateway.put("shop", name, 1);
  const { objects, resourceVersion } = await client.list(PODS);
  assert.deepEqual(objects.map((change) => change.name), names);
  assert.equal(resourceVersion, "250");
});

test("types of the gateway are listed", async (t) => {
  const { client } = await start(t);
  const [pods] = await client.types();
  assert.deepEqual([pods.resource, pods.kind, pods.shortNames, pods.isNamespaced, pods.isSynced], ["pods", "Pod", ["po"], true, true]);
});

test("refused call throws", async (t) => {
  const { gateway, client } = await start(t);
  gateway.refuse("ACCESS_DENIED");
  await assert.rejects(within(client.list(PODS, { timeoutMs: 300_000 })), /refused with ACCESS_DENIED/);
});

test("temporary error of a call is tried again until the timeout", async (t) => {
  const { gateway, client } = await start(t);
  gateway.refuse("STARTING", "RESUME");
  let reason;
  for (const timeoutMs of [1000, 4000, 16_000, 60_000]) {
    await assert.rejects(client.list(PODS, { timeoutMs }), (error) => {
      reason = error.failure.reason;
      return true;
    });
    if (reason === "STARTING") break; // else not even the first answer came in time, on a busy machine
  }
  assert.equal(reason, "STARTING");
  const listed = client.list(PODS);
  gateway.refuse("");
  assert.deepEqual((await listed).objects, []);
});
