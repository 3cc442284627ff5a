// Tests of the differences between a state and a snapshot.
import assert from "node:assert/strict";
import { test } from "node:test";
import { internal, line } from "./support.mjs";

const { State } = await internal("state.js");
const { Change } = await internal("updates.js");

const object = (name, body, uid = "uid", type = "ADDED") =>
  new Change(type, "shop", name, uid, "1", body === undefined ? undefined : new TextEncoder().encode(body));
const snapshot = (...objects) => ({ kind: "SNAPSHOT", objects, resourceVersion: "1", token: new Uint8Array([1]) });

test("equal object is no difference", () => {
  const state = new State();
  state.replace(snapshot(object("web", "1"), object("omitted")));
  assert.deepEqual(state.replace(snapshot(object("web", "1"), object("omitted"))), []);
});

test("same version with another body is a difference", () => {
  const state = new State();
  state.replace(snapshot(object("web", "1")));
  assert.deepEqual(state.replace(snapshot(object("web", "2"))).map(line), ["MODIFIED shop/web"]);
});

test("another object of the same name is a deletion and an addition", () => {
  const state = new State();
  state.replace(snapshot(object("web", "1", "one")));
  const changes = state.replace(snapshot(object("web", "1", "other")));
  assert.deepEqual(changes.map((change) => [line(change), change.uid]), [["DELETED shop/web", "one"], ["ADDED shop/web", "other"]]);
});

test("deleted object is deleted once", () => {
  const state = new State();
  state.replace(snapshot(object("web", "1")));
  const deleted = object("web", undefined, "uid", "DELETED");
  assert.deepEqual(state.apply({ kind: "CHANGES", changes: [deleted], resourceVersion: "2", token: new Uint8Array([2]) }), [deleted]);
  assert.deepEqual(state.replace(snapshot()), []);
});
