// Tests of the options of a client and of a selection.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ServerCredentials, status } from "@grpc/grpc-js";
import { connect } from "@watchgate/client";
import { certificateOf } from "./certificate.mjs";
import { SNAPSHOT, startScripted } from "./scripted.mjs";
import { next, start } from "./support.mjs";

const PODS = { resource: "pods" };

function folderOf(t) {
  const folder = mkdtempSync(join(tmpdir(), "watchgate-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("options that cannot be used are named", (t) => {
  const file = join(folderOf(t), "file");
  writeFileSync(file, "no certificate");
  for (const [servers, options, text] of [
    [[], {}, /connect needs a server: HOST:PORT/],
    ["gateway", {}, /gateway is not HOST:PORT/],
    [["a:1", ":7443"], {}, /:7443 is not HOST:PORT/],
    ["a:1", { tokenFile: "token", token: () => "token" }, /token and tokenFile exclude each other/],
    ["a:1", { tls: { caFile: `${file}.none` } }, /ENOENT.*file\.none/],
    ["a:1", { tls: { caFile: file } }, /file has no certificate in the form PEM/],
    ["a:1", { tls: { certificateFile: file } }, /certificateFile and keyFile belong together/],
    ["a:1", { tls: { certificateFile: file, keyFile: file } }, /PEM/],
  ]) {
    assert.throws(() => connect(servers, options), text);
  }
  connect(["[::1]:7443", "a.b:1"]).close();
});

test("selections that cannot be meant are named", async (t) => {
  const { client } = await start(t);
  for (const [selection, text] of [
    [{}, /needs a resource/],
    ["pods", /needs a resource/],
    [{ resource: "pods", namespaces: "shop" }, /namespaces is an array of texts/],
    [{ resource: "pods", include: "/spec" }, /include is an array of texts/],
    [{ resource: "pods", include: ["/spec"], view: "KEY" }, /include and view exclude each other/],
    [{ resource: "pods", view: "ALL" }, /there is no view ALL/],
  ]) {
    assert.throws(() => client.watch(selection), text);
    assert.throws(() => client.reflect(selection), text);
    await assert.rejects(client.list(selection), text);
  }
});

test("request has the selection and the options", async (t) => {
  const requests = [];
  let breakStream;
  const server = await startScripted(t, ({ request, send, fail }) => {
    requests.push(request);
    send(...SNAPSHOT);
    breakStream = () => fail(status.UNAVAILABLE);
  });
  const client = connect([server.address, "127.0.0.1:9"], { clientName: "shop", startAtFirst: true });
  t.after(() => client.close());
  const selection = { resource: "deployments", group: "apps", version: "v1", namespaces: ["a", "b"], labels: "x=y", fields: "f=g" };
  const options = { expired: "FAIL", minimumResourceVersion: "7" };
  const updates = client.updates({ ...selection, include: ["/spec"] }, options);
  await next(updates);
  breakStream();
  while (requests.length < 2) await next(updates);
  const [first, second] = requests;
  assert.deepEqual({ ...first.selection.resourceType }, { $typeName: "watchgate.v1.ResourceType", group: "apps", version: "v1", resource: "deployments" });
  assert.deepEqual(
    [first.selection.namespaces, first.selection.labelSelector, first.selection.fieldSelector, first.projection.includePointers],
    [["a", "b"], "x=y", "f=g", ["/spec"]],
  );
  assert.deepEqual([first.clientName, first.features, first.delivery.expiredPositionPolicy], ["shop", ["replicas"], 2]);
  assert.deepEqual([first.minimumResourceVersion, first.start.case], ["7", undefined]);
  assert.deepEqual([second.minimumResourceVersion, second.start.case, String(second.start.value)], ["", "resumeToken", "1"]);
});

test("token file is read for each stream, and none is sent while it is empty", async (t) => {
  const tokenFile = join(folderOf(t), "token");
  const tokens = [];
  let breakStream;
  const server = await startScripted(t, ({ metadata, send, fail }) => {
    tokens.push(metadata.get("authorization")[0]);
    send(...SNAPSHOT);
    breakStream = () => fail(status.UNAVAILABLE);
  });
  const client = connect(server.address, { tokenFile });
  t.after(() => client.close());
  const updates = client.updates(PODS);
  assert.match((await next(updates)).failure.message, /there is no token to send: .*ENOENT/);
  writeFileSync(tokenFile, "first\n");
  while ((await next(updates)).kind !== "SNAPSHOT");
  writeFileSync(tokenFile, "\n");
  breakStream();
  assert.equal((await next(updates)).failure.code, "UNAVAILABLE");
  assert.match((await next(updates)).failure.message, /there is no token to send: .*token is empty/);
  writeFileSync(tokenFile, "second\n");
  while ((await next(updates)).kind !== "SNAPSHOT");
  assert.deepEqual(tokens, ["Bearer first", "Bearer second"]);
});

test("token that cannot be sent is waited for", async (t) => {
  const { client } = await start(t, { token: () => "one\ntwo" });
  const { failure } = await next(client.updates(PODS));
  assert.deepEqual([failure.code, failure.action], ["UNAVAILABLE", "RESUME"]);
  assert.match(failure.message, /there is no token to send: .*not printable ASCII/);
  await assert.rejects(client.list(PODS, { timeoutMs: 100 }), /there is no token to send: .*not printable ASCII/);
});

test("function of the token is called for each stream", async (t) => {
  const tokens = [];
  const server = await startScripted(t, ({ metadata, fail }) => {
    tokens.push(metadata.get("authorization")[0]);
    fail(status.UNAVAILABLE);
  });
  let calls = 0;
  const client = connect(server.address, { token: async () => `t${++calls}` });
  t.after(() => client.close());
  const updates = client.updates(PODS);
  for (let count = 0; count < 2; count++) await next(updates);
  assert.deepEqual(tokens, ["Bearer t1", "Bearer t2"]);
});

test("files of TLS are read again, and a file that cannot be used changes nothing", async (t) => {
  const caFile = join(folderOf(t), "ca.pem");
  const [first, second] = [certificateOf("one.test"), certificateOf("one.test")];
  const credentials = ({ key, certificate }) =>
    ServerCredentials.createSsl(null, [{ private_key: Buffer.from(key), cert_chain: Buffer.from(certificate) }]);
  let breakStream;
  const answer = ({ send, fail }) => {
    send(...SNAPSHOT);
    breakStream = () => fail(status.UNAVAILABLE);
  };
  const servers = [await startScripted(t, answer, credentials(first)), await startScripted(t, answer, credentials(second))];
  writeFileSync(caFile, first.certificate);
  const client = connect(servers.map((server) => server.address), { startAtFirst: true, tls: { caFile, serverName: "one.test" } });
  t.after(() => client.close());
  const updates = client.updates(PODS);
  assert.equal((await next(updates)).kind, "SNAPSHOT");
  writeFileSync(caFile, "half of a file");
  breakStream();
  const failures = [];
  for (let update = await next(updates); update.kind === "INTERRUPTED"; update = await next(updates)) {
    failures.push(update.failure.message);
    if (/certificate/.test(update.failure.message)) {
      servers[0].stop();
      writeFileSync(caFile, second.certificate);
    }
  }
  assert.match(failures.join("\n"), /self-signed certificate/, "the second server is not trusted before");
});
