// Tests of the client for browsers, at a server that answers by gRPC-Web.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { connect, WatchgateError } from "@watchgate/client/web";
import { internal, line, next, until, within } from "./support.mjs";

const { create, fromBinary, toBinary } = await import("@bufbuild/protobuf");
const { anyPack } = await import("@bufbuild/protobuf/wkt");
const { ListAndWatchRequestSchema, ListAndWatchResponseSchema } = await internal("gen/watchgate/v1/watch_pb.js");
const { ErrorInfoSchema, RetryInfoSchema, StatusSchema } = await internal("gen/google/rpc/status_pb.js");
const { FrameReader } = await internal("frames.js");

const PODS = { resource: "pods" };
const bytes = (text) => new TextEncoder().encode(text);

function frame(content, flags = 0) {
  const framed = Buffer.alloc(5 + content.length);
  framed[0] = flags;
  framed.writeUInt32BE(content.length, 1);
  framed.set(content, 5);
  return framed;
}

const response = (fields) => frame(toBinary(ListAndWatchResponseSchema, create(ListAndWatchResponseSchema, fields)));
const encodedOf = (...details) => Buffer.from(toBinary(StatusSchema, create(StatusSchema, { details }))).toString("base64");
const trailers = (text) => frame(bytes(text), 0x80);
const snapshot = (...names) => [
  response({ signal: { case: "opened", value: {} } }),
  response({ signal: { case: "snapshotStarted", value: {} } }),
  response({ events: names.map((name) => ({ type: 1, key: { namespace: "shop", name }, body: { case: "object", value: bytes("1") } })) }),
  response({ signal: { case: "synced", value: {} }, resumeToken: bytes("t1"), resourceVersion: "1" }),
];

/** Starts a server; `answer` gets each request and its response, which it has to end. */
async function start(t, answer, options, path = "") {
  const seen = { requests: [], open: 0 };
  const server = createServer(async (request, answered) => {
    const body = [];
    for await (const part of request) body.push(part);
    seen.requests.push({
      url: request.url,
      headers: request.headers,
      message: fromBinary(ListAndWatchRequestSchema, Buffer.concat(body).subarray(5)),
    });
    seen.open++;
    answered.on("close", () => seen.open--);
    answered.setHeader("Content-Type", "application/grpc-web+proto");
    answer(answered, seen.requests.length);
  });
  server.keepAliveTimeout = 0; // else an idle connection may end just as the client sends its next request
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = connect(`http://127.0.0.1:${server.address().port}${path}`, options);
  t.after(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });
  return { ...seen, seen, client };
}

test("watch reads frames that arrive in parts", async (t) => {
  const { client, seen } = await start(t, (answer) => {
    for (const byte of Buffer.concat(snapshot("web", "api"))) answer.write(Buffer.from([byte]));
  }, { token: () => "secret" });
  const changes = client.watch(PODS);
  assert.deepEqual([line(await next(changes)), line(await next(changes))], ["ADDED shop/web", "ADDED shop/api"]);
  const [{ url, headers, message }] = seen.requests;
  assert.equal(url, "/watchgate.v1.WatchService/ListAndWatch");
  assert.deepEqual([headers["content-type"], headers.authorization], ["application/grpc-web+proto", "Bearer secret"]);
  assert.deepEqual([message.selection.resourceType.resource, message.clientName], ["pods", "watchgate-web"]);
  await changes.return();
  await until(() => seen.open === 0);
});

test("signal closes the request", async (t) => {
  const { client, seen } = await start(t, (answer) => snapshot().forEach((part) => answer.write(part)));
  const ending = new AbortController();
  const waiting = client.watch(PODS, { signal: ending.signal }).next();
  await until(() => seen.open === 1);
  ending.abort();
  await assert.rejects(within(waiting), { name: "AbortError" });
  await until(() => seen.open === 0);
});

test("error is read from the trailers", async (t) => {
  const details = [
    anyPack(ErrorInfoSchema, create(ErrorInfoSchema, { domain: "watchgate.io", reason: "TYPE_UNKNOWN", metadata: { action: "STOP" } })),
    anyPack(RetryInfoSchema, create(RetryInfoSchema, { retryDelay: { seconds: 2n, nanos: 500_000_000 } })),
  ];
  const encoded = encodedOf(...details);
  const { client } = await start(t, (answer) =>
    answer.end(trailers(`grpc-status:5\r\ngrpc-message:100%25 unknown\r\ngrpc-status-details-bin:${encoded}\r\n`)),
  );
  await assert.rejects(within(client.watch(PODS).next()), (error) => {
    assert.ok(error instanceof WatchgateError);
    const failure = { code: "NOT_FOUND", reason: "TYPE_UNKNOWN", action: "STOP", message: "100% unknown", retryAfterMs: 2500 };
    assert.deepEqual(error.failure, failure);
    return true;
  });
});

const DAMAGED = { typeUrl: "type.googleapis.com/google.rpc.ErrorInfo", value: new Uint8Array([255, 255]) };

for (const [name, answer, code, message] of [
  ["answer without trailers", (a) => a.end(snapshot()[0]), "UNAVAILABLE", /without a status/],
  ["connection that breaks", (a) => a.destroy(), "UNAVAILABLE", /./],
  ["stream that ends with OK", (a) => a.end(trailers("grpc-status:0\r\n")), "UNKNOWN", /which a gateway never does/],
  ["details that a proxy changed", (a) => a.end(trailers("grpc-status:14\r\ngrpc-status-details-bin:%%\r\ngrpc-message:%\r\n")), "UNAVAILABLE", /^%$/],
  [
    "detail that a proxy changed",
    (a) => a.end(trailers(`grpc-status:14\r\ngrpc-status-details-bin:${encodedOf(DAMAGED)}\r\nwatchgate-reason:STARTING\r\ngrpc-message:%\r\n`)),
    "UNAVAILABLE",
    /^%$/,
  ],
  ["message that is none", (a) => a.write(frame(new Uint8Array([255, 255]))), "INTERNAL", /the answer cannot be read/],
  ["frame that is too long", (a) => a.write(Buffer.from([0, 255, 255, 255, 255, 1])), "INTERNAL", /a frame of 4294967295 bytes/],
  ["page without an end", (a) => a.writeHead(200, { "Content-Type": "text/html" }).write("x".repeat(5000)), "UNKNOWN", /HTTP 200: x{200}$/],
  ["HTTP status of a proxy", (a) => a.writeHead(503).end("try later"), "UNAVAILABLE", /HTTP 503: try later/],
  ["page of another server", (a) => a.writeHead(200, { "Content-Type": "text/html" }).end("hello"), "UNKNOWN", /HTTP 200: hello/],
]) {
  test(`${name} is a failure, and the watch resumes`, async (t) => {
    const { client, seen } = await start(t, (answered, number) => {
      if (number === 1) answer(answered);
      else snapshot().forEach((part) => answered.write(part));
    });
    const updates = client.updates(PODS);
    const { failure } = await next(updates);
    assert.deepEqual([failure.code, failure.action], [code, "RESUME"]);
    assert.match(failure.message, message);
    assert.equal((await next(updates)).kind, "SNAPSHOT");
    assert.equal(seen.requests.length, 2);
  });
}

test("path of the URL is kept", async (t) => {
  const { client, seen } = await start(t, (answer) => snapshot("web").forEach((part) => answer.write(part)), {}, "/prefix/");
  await next(client.watch(PODS));
  assert.equal(seen.requests[0].url, "/prefix/watchgate.v1.WatchService/ListAndWatch");
});

test("wrong address ends the watch after its time", async (t) => {
  const { client } = await start(t, (answer) => answer.writeHead(404).end("no such page"), { firstAnswerTimeoutMs: 0 });
  await assert.rejects(within(client.watch(PODS).next()), /no Watchgate has answered there/);
});

test("servers have to be URLs", () => {
  assert.throws(() => connect([]), /connect needs a server: the URL of a gateway/);
  assert.throws(() => connect("gateway"), TypeError);
});

test("frames of any size are read from parts of any size", async () => {
  const contents = [new Uint8Array(0), Uint8Array.from({ length: 300 }, (_, index) => index), bytes("end")];
  const body = Buffer.concat(contents.map((content, index) => frame(content, index)));
  for (let size = 1; size <= body.length; size++) {
    let at = 0;
    const reader = new FrameReader(async () => {
      const value = body.subarray(at, at + size);
      at += size;
      return { done: value.length === 0, value };
    });
    for (const [flags, content] of contents.entries()) {
      const read = await reader.next();
      assert.deepEqual([read.flags, Buffer.from(read.content)], [flags, Buffer.from(content)]);
    }
    assert.equal(await reader.next(), undefined);
  }
});
