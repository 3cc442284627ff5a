// A complete client of Watchgate: keeps the objects that match, and prints their changes, one JSON value a line.
//
//     npm ci
//     node watch.mjs pods --server 127.0.0.1:7443 -l app=web
//
// With --position-file it resumes where it ended when it is started again.
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import protobuf from "protobufjs";

const { watchgate } = grpc.loadPackageDefinition(
  loadSync("watchgate/v1/watch.proto", {
    includeDirs: [fileURLToPath(new URL("../../proto/src/main/protobuf", import.meta.url))],
    defaults: true, // an empty list is [], not undefined
    enums: String,
    oneofs: true, // response.signal names the signal that is set
  }),
);
const errors = protobuf.parse(`syntax = "proto3"; package google.rpc;
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message Any { string type = 1; bytes value = 2; }
  message RetryInfo { Duration retry_delay = 1; }
  message Duration { int64 seconds = 1; int32 nanos = 2; }`).root;

// Codes of temporary states. Any other code without a reason may be the answer of a server that is not a gateway.
const PASSING = ["UNAVAILABLE", "CANCELLED", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED"];

const KNOWN = ["EVENT_TYPE_ADDED", "EVENT_TYPE_MODIFIED", "EVENT_TYPE_DELETED"];

/** Objects that follow the server's: `objects` has the state at `token`. `onChange` is called for each change. */
class Watch {
  objects = new Map(); // by namespace, name and uid: an object that is created again is another one
  #stream = -1; // number of the stream: each is opened at the next replica
  #failures = 0;
  #silence = 90; // seconds: three bookmark intervals
  #answered = false; // by a gateway, ever
  #wrongSince; // time of the first answer that may be of a wrong address

  /** clients: one for each replica. firstAnswerTimeout: for how many seconds to try where only other servers answer, and no gateway ever did. */
  constructor(clients, selection, onChange, token = Buffer.alloc(0), firstAnswerTimeout = 300, headers = () => new grpc.Metadata()) {
    Object.assign(this, { clients, selection, onChange, token, firstAnswerTimeout, headers });
  }

  /** Follows for ever, over the end of any stream; throws the error that says STOP, or that no gateway answers. */
  async run() {
    for (;;) {
      let pause; // with a random part, so that not all clients return at once
      try {
        pause = Math.random() * (await this.#follow());
      } catch (error) {
        if (!(error.code in grpc.status)) throw error; // not the stream's
        const action = actionOf(error);
        this.onChange("ERROR", null, JSON.stringify({ ...describe(error), action }));
        if (action === "STOP") throw error;
        this.#giveUp(error);
        if (action === "RESTART") this.token = Buffer.alloc(0);
        this.#failures++;
        pause = retryDelay(error) + Math.random() * Math.min(30, 0.25 * 2 ** this.#failures);
      }
      await sleep(pause * 1000);
    }
  }

  /** Throws if no gateway ever answered, and something else did for too long. */
  #giveUp(error) {
    this.#answered ||= trailer(error, "watchgate-reason") !== undefined;
    if (this.#answered || PASSING.includes(grpc.status[error.code])) return;
    this.#wrongSince ??= performance.now();
    const tried = (performance.now() - this.#wrongSince) / 1000;
    if (tried < this.firstAnswerTimeout) return;
    throw Object.assign(new Error(), {
      details:
        `no Watchgate has answered there for ${tried.toFixed()} s. What answers is a proxy or load balancer in between, ` +
        `or another server: ${grpc.status[error.code]}, ${error.details}. Check host and port, and that everything in between ` +
        "passes on gRPC over HTTP/2",
    });
  }

  /** One stream, to its end. Returns the seconds within which to open the next. */
  async #follow() {
    const request = { selection: this.selection, clientName: "watch.mjs", resumeToken: this.token };
    if (this.clients.length > 1) request.features = ["replicas"];
    this.#stream++;
    const call = this.clients[this.#stream % this.clients.length].listAndWatch(request, this.headers());
    const giveUp = () => call.destroy(failure(grpc.status.DEADLINE_EXCEEDED, `silent for ${this.#silence} s`));
    let timer = setTimeout(giveUp, this.#silence * 1000);
    call.on("error", () => {}); // also after the loop has ended, when there is no other listener
    let held = []; // not applied before a token comes: the state and the token never differ
    let snapshot = false;
    try {
      for await (const response of call) {
        clearTimeout(timer);
        const { signal, resumeToken: token } = response;
        if (signal === "opened") {
          this.#answered = true;
          this.#silence = 3 * seconds(response.opened.delivery?.bookmarkInterval, 30);
        }
        if (signal === "snapshotStarted") [held, snapshot] = [[], true];
        for (const event of response.events) {
          // With the same token it would come again. Patches come only if they are asked for.
          if (!KNOWN.includes(event.type) || event.body === "patch") throw failure(grpc.status.INTERNAL, "an event cannot be applied", "RESTART");
          held.push(event);
        }
        if (token?.length) {
          if (snapshot) this.#replace(held);
          else for (const event of held) this.#apply(event);
          [held, snapshot] = [[], false];
          this.token = token;
          this.#failures = 0;
          if (["synced", "resumed"].includes(signal)) {
            this.onChange(signal.toUpperCase(), null, JSON.stringify({ objects: this.objects.size }));
          }
        }
        if (signal === "goingAway") return seconds(response.goingAway.reconnectWithin, 0);
        timer = setTimeout(giveUp, this.#silence * 1000);
      }
      throw failure(grpc.status.UNKNOWN, "the stream ended without an error, which a gateway never does");
    } finally {
      clearTimeout(timer);
      call.cancel();
    }
  }

  #apply(event) {
    if (event.type === "EVENT_TYPE_DELETED") this.objects.delete(keyOf(event));
    else this.objects.set(keyOf(event), event);
    this.onChange(event.type.slice("EVENT_TYPE_".length), event.key, event.object);
  }

  /** The snapshot in place of what is held; tells what differs. */
  #replace(snapshot) {
    const before = this.objects;
    this.objects = new Map(snapshot.map((event) => [keyOf(event), event]));
    for (const [key, event] of before) {
      if (!this.objects.has(key)) this.onChange("DELETED", event.key);
    }
    for (const [key, event] of this.objects) {
      const held = before.get(key);
      if (!held) this.onChange("ADDED", event.key, event.object);
      else if (!isSame(held, event)) this.onChange("MODIFIED", event.key, event.object);
    }
  }
}

const keyOf = ({ key }) => `${key.namespace}/${key.name}/${key.uid}`;

// The version alone suffices within one timeline; an object too large to be sent has nothing else.
const isSame = (one, other) =>
  one.resourceVersion === other.resourceVersion && String(one.object) === String(other.object);

const seconds = (duration, otherwise) => (duration ? Number(duration.seconds ?? 0) + (duration.nanos ?? 0) / 1e9 : otherwise);

const trailer = (error, name) => error.metadata?.get(name)[0];

// An error of this side, which is treated like one of the transport.
const failure = (code, details, action) => Object.assign(new Error(), { code, details, action });

// An error that is not a gateway's says nothing about the request.
const actionOf = (error) => trailer(error, "watchgate-action") ?? error.action ?? "RESUME";

const describe = (error) => ({
  status: grpc.status[error.code],
  reason: trailer(error, "watchgate-reason") ?? null,
  message: error.details,
});

/** The seconds that the server asks to wait, in a google.rpc.RetryInfo. */
function retryDelay(error) {
  const status = trailer(error, "grpc-status-details-bin");
  const details = status ? errors.lookupType("google.rpc.Status").decode(status).details : [];
  const info = details.find((detail) => detail.type.endsWith("/google.rpc.RetryInfo"));
  return info ? seconds(errors.lookupType("google.rpc.RetryInfo").decode(info.value).retryDelay, 0) : 0;
}

const USAGE = `usage: node watch.mjs RESOURCE [--server HOST:PORT]... [-n NAMESPACE]... [-l SELECTOR]
                      [--field-selector SELECTOR] [--position-file FILE] [--first-answer-timeout SECONDS] [--watches NUMBER]
                      [--tls-ca FILE] [--tls-server-name NAME] [--bearer-token-file FILE]`;

function exit(code, message) {
  if (message) console.error(`watch.mjs: ${message}`);
  process.exit(code);
}

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        server: { type: "string", multiple: true, default: ["127.0.0.1:7443"] },
        namespace: { type: "string", short: "n", multiple: true, default: [] },
        selector: { type: "string", short: "l", default: "" },
        "field-selector": { type: "string", default: "" },
        "position-file": { type: "string" },
        "tls-ca": { type: "string" },
        "tls-server-name": { type: "string" },
        "bearer-token-file": { type: "string" },
        "first-answer-timeout": { type: "string", default: "300" },
        watches: { type: "string", default: "1" }, // watch again after STOP, until that many have ended
      },
    });
    if (positionals.length !== 1) throw new Error("name one RESOURCE: a plural, kind or short name, such as pods");
    const firstAnswerTimeout = Number(values["first-answer-timeout"]);
    if (!(firstAnswerTimeout >= 0)) throw new Error("--first-answer-timeout is a number of seconds");
    return { ...values, resource: positionals[0], positionFile: values["position-file"], firstAnswerTimeout };
  } catch (error) {
    return exit(2, `${error.message}\n${USAGE}`);
  }
}

function readToken(file) {
  try {
    return file ? readFileSync(file) : undefined;
  } catch (error) {
    return error.code === "ENOENT" ? undefined : exit(1, error.message);
  }
}

/** One line, and of plain characters: what others wrote must not steer the terminal. */
function show(what, key, json) {
  const name = JSON.stringify(key && `${key.namespace}/${key.name}`);
  // The object's own text: through JSON.parse, numbers above 2^53 would lose digits.
  const line = `{"what": "${what}", "key": ${name}, "value": ${json?.length ? json : null}}`.replaceAll("\n", " ");
  process.stdout.write(line.replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`) + "\n");
}

/** Headers with the token of a file. Without one, as while it is being replaced, no stream is tried. */
const bearerToken = (file) => () => {
  const headers = new grpc.Metadata();
  try {
    const token = readFileSync(file, "utf8").trim();
    if (!token) throw new Error(`${file} holds no token`);
    headers.set("authorization", `Bearer ${token}`);
  } catch (error) {
    throw failure(grpc.status.UNAVAILABLE, `there is no token to send: ${error.message}`);
  }
  return headers;
};

const options = readOptions();
const serverName = options["tls-server-name"];
const credentials = options["tls-ca"]
  ? grpc.credentials.createSsl(readFileSync(options["tls-ca"]))
  : grpc.credentials.createInsecure();
const settings = {
  ...(serverName && { "grpc.ssl_target_name_override": serverName, "grpc.default_authority": serverName }),
  "grpc.keepalive_time_ms": 30_000,
  "grpc.keepalive_timeout_ms": 10_000,
  "grpc.max_reconnect_backoff_ms": 5_000, // run() waits by itself
  "grpc.enable_retries": 0, // run() resumes at the right position
};
const clients = options.server.map((server) => new watchgate.v1.WatchService(server, credentials, settings));
const selection = {
  resourceType: { resource: options.resource },
  namespaces: options.namespace,
  labelSelector: options.selector,
  fieldSelector: options["field-selector"],
};
const headers = options["bearer-token-file"] ? bearerToken(options["bearer-token-file"]) : undefined;
const newWatch = () => new Watch(clients, selection, show, readToken(options.positionFile), options.firstAnswerTimeout, headers);
let watch = newWatch();

function end(code, message) {
  try {
    if (options.positionFile) writeFileSync(options.positionFile, watch.token);
  } catch (error) {
    exit(1, error.message);
  }
  exit(code, message);
}
process.stdout.on("error", () => end(0)); // the reader of stdout has gone
process.on("SIGINT", () => end(0));
process.on("SIGTERM", () => end(0));
const ended = (error) => console.error(`watch.mjs: ${error.details ?? error.stack}`);
for (let left = Number(options.watches); left > 1; left--) {
  await watch.run().catch(ended);
  watch = newWatch();
}
await watch.run().catch(ended);
end(1);
