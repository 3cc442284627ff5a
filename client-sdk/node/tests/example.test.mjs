// A test of a program that watches, with a gateway in the process of the test.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "@watchgate/client";
import { FakeGateway } from "@watchgate/client/testing";

/** The program: a line for each change to the pods of a namespace. */
async function* follow(client) {
  for await (const change of client.watch({ resource: "pods", namespaces: ["shop"] })) yield `${change.type} ${change.name}`;
}

test("cut loses no change", { timeout: 60_000 }, async () => {
  const gateway = await FakeGateway.start();
  const client = connect(gateway.address);
  try {
    gateway.put("shop", "web-1", { status: { phase: "Running" } });
    const lines = follow(client);
    assert.equal((await lines.next()).value, "ADDED web-1");
    gateway.cut();
    gateway.delete("shop", "web-1");
    assert.equal((await lines.next()).value, "DELETED web-1");
  } finally {
    client.close();
    gateway.close();
  }
});
