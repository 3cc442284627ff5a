// A minimal client of Watchgate: the objects that match, in a map that stays right over restarts, with TLS, a token and several servers.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import protobuf from "protobufjs";

const protos = fileURLToPath(new URL("../../proto/src/main/protobuf", import.meta.url));
const { watchgate } = grpc.loadPackageDefinition(
  loadSync("watchgate/v1/watch.proto", { includeDirs: [protos], defaults: true, enums: String, oneofs: true }),
);
const errors = protobuf.parse(`syntax = "proto3"; package google.rpc;
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message Any { string type = 1; bytes value = 2; }
  message RetryInfo { Duration retry_delay = 1; }
  message Duration { int64 seconds = 1; int32 nanos = 2; }`).root;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    server: { type: "string", multiple: true }, // HOST:PORT; repeat it for several replicas
    namespace: { type: "string", short: "n", multiple: true },
    selector: { type: "string", short: "l" },
    "tls-ca": { type: "string" },
    "tls-server-name": { type: "string" },
    "bearer-token-file": { type: "string" },
  },
});

if (!options.server || positionals.length !== 1) {
  console.error("usage: minimal.mjs RESOURCE --server HOST:PORT [-n NAMESPACE] [-l SELECTOR] [--tls-ca FILE] [--bearer-token-file FILE]");
  process.exit(2);
}

const objects = new Map(); // by namespace and name, at the position of the token
let token = Buffer.alloc(0);
let failures = 0;

const keyOf = ({ key }) => `${key.namespace}/${key.name}`;
const seconds = (duration) => Number(duration?.seconds ?? 0) + (duration?.nanos ?? 0) / 1e9;
const show = (what, key, object) =>
  process.stdout.write(`{"what": "${what}", "key": ${JSON.stringify(key)}, "value": ${object?.length ? object : null}}\n`);

function apply(events, isSnapshot) {
  const present = new Set(events.map(keyOf));
  for (const key of isSnapshot ? [...objects.keys()] : []) {
    if (present.has(key)) continue;
    objects.delete(key);
    show("DELETED", key);
  }
  for (const event of events) {
    const what = event.type.slice("EVENT_TYPE_".length);
    if (what === "DELETED") objects.delete(keyOf(event));
    else objects.set(keyOf(event), event.object); // empty if omitted: present, but too large to be sent
    show(what, keyOf(event), event.object);
  }
}

/** Reads one stream until it ends. Returns the seconds within which to open the next. */
async function follow(client) {
  const headers = new grpc.Metadata();
  const file = options["bearer-token-file"];
  const bearer = file && readFileSync(file, "utf8").trim(); // for each stream, because it expires
  if (bearer === "") throw new Error(`${file} is empty: it is being replaced`);
  if (bearer) headers.set("authorization", `Bearer ${bearer}`);
  const call = client.listAndWatch(
    {
      selection: { resourceType: { resource: positionals[0] }, namespaces: options.namespace, labelSelector: options.selector },
      resumeToken: token,
      features: options.server.length > 1 ? ["replicas"] : [],
    },
    headers,
  );
  call.on("error", () => {}); // also after the loop has ended, when there is no other listener
  let [held, isSnapshot, silence, timer] = [[], false, 90, undefined]; // silence: three bookmark intervals, in seconds
  const listen = () => {
    clearTimeout(timer);
    timer = setTimeout(() => call.destroy(new Error(`silent for ${silence} s`)), silence * 1000);
  };
  listen();
  try {
    for await (const response of call) {
      const { signal } = response;
      if (signal === "opened") silence = 3 * seconds(response.opened.delivery?.bookmarkInterval) || silence;
      if (signal === "snapshotStarted") [held, isSnapshot] = [[], true];
      listen();
      for (const event of response.events) held.push(event);
      if (response.resumeToken?.length) {
        apply(held, isSnapshot); // until the token comes, the events are not complete
        [held, isSnapshot, token, failures] = [[], false, response.resumeToken, 0];
        if (signal === "synced" || signal === "resumed") show(signal.toUpperCase(), "");
      }
      if (signal === "goingAway") return seconds(response.goingAway.reconnectWithin);
    }
    throw new Error("the stream ended without an error");
  } finally {
    clearTimeout(timer);
    call.cancel();
  }
}

/** Returns the seconds to wait after a failure; exits if the gateway says STOP. */
function delayAfter(error) {
  failures++;
  console.error(`minimal.mjs: ${error.details ?? error.message}`);
  const trailer = (name) => error.metadata?.get(name)[0];
  if (trailer("watchgate-action") === "STOP") process.exit(1);
  if (trailer("watchgate-action") === "RESTART") token = Buffer.alloc(0);
  const status = trailer("grpc-status-details-bin");
  const details = status ? errors.lookupType("google.rpc.Status").decode(status).details : [];
  const info = details.find((detail) => detail.type.endsWith("/google.rpc.RetryInfo"));
  const asked = info ? seconds(errors.lookupType("google.rpc.RetryInfo").decode(info.value).retryDelay) : 0;
  return asked + Math.random() * Math.min(30, 0.25 * 2 ** Math.min(failures, 7));
}

for (const end of ["SIGINT", "SIGTERM"]) process.on(end, () => process.exit(0));
const name = options["tls-server-name"];
for (let i = 0; ; i++) {
  const tls = options["tls-ca"];
  let client, delay;
  try {
    client = new watchgate.v1.WatchService(
      options.server[i % options.server.length], // the next one whenever a stream ends
      tls ? grpc.credentials.createSsl(readFileSync(tls)) : grpc.credentials.createInsecure(),
      { "grpc.keepalive_time_ms": 30_000, ...(name && { "grpc.ssl_target_name_override": name, "grpc.default_authority": name }) },
    );
    delay = Math.random() * (await follow(client));
  } catch (error) {
    delay = delayAfter(error);
  } finally {
    client?.close();
  }
  await sleep(delay * 1000);
}
