// Program that begins and ends many watches at a gateway: endings.mjs abort|close COUNT SEED SERVER.
//
// `abort` aborts the signals of watches, and leaves loops, at random moments; `close` opens clients and closes them. It prints what is left in the
// process, as JSON.
import { existsSync, readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import * as v8 from "node:v8";
import { connect } from "@watchgate/client";
import { randomOf } from "./support.mjs";

const FILES = "/proc/self/fd";
const SELECTION = { resource: "configmaps" };
const [what, count, seed, server] = process.argv.slice(2);
const random = randomOf({ diagnostic: (text) => console.error(text) }, Number(seed));

/** Begins and ends watches of one client; returns the number of those that had begun: at least every second one. */
async function aborted(count, client) {
  let began = 0;
  const watch = async (signal, yields) => {
    let isFirst = true;
    for await (const _ of client.watch(SELECTION, { signal })) {
      began += isFirst;
      isFirst = false;
      yields();
      if (random() < 0.1) break;
      await sleep(random() * 2);
    }
  };
  const begin = performance.now();
  for await (const _ of client.watch(SELECTION)) break;
  const usual = Math.max(10, performance.now() - begin);
  for (let number = 0; number < count; number++) {
    const ending = new AbortController();
    let yields;
    const begun = new Promise((resolve) => (yields = resolve));
    const ended = watch(ending.signal, yields).catch((error) => {
      if (error !== ending.signal.reason) throw error;
    });
    // However busy the machine is, every second watch has begun. The gateway closes a connection with too many early endings.
    if (number % 2) await Promise.race([begun, ended]);
    await sleep(random() * (number % 2 ? 2 : usual));
    ending.abort();
    await ended;
  }
  return began;
}

/** Opens and closes clients; returns the number of watches that had begun: all. */
async function closed(count) {
  for (let number = 0; number < count; number++) {
    const client = connect(server);
    for await (const _ of client.watch(SELECTION)) break;
    client.close();
  }
  return count;
}

/** Returns the numbers of open files, of which sockets are a part, and of timers, promises, signals and channels. */
function present() {
  return {
    files: existsSync(FILES) ? readdirSync(FILES).length : 0, // Linux tells them
    timers: process.getActiveResourcesInfo().filter((name) => name === "Timeout").length,
    promises: objects(Promise),
    signals: objects(AbortSignal),
    channels: objects(Channel),
  };
}

/** Returns the number of objects of a class that are in use, 0 where Node does not tell it. */
function objects(type) {
  return v8.queryObjects?.(type, { format: "count" }) ?? 0;
}

const { Channel } = await import("@grpc/grpc-js");
// gRPC has values of its own after its first use. This client stays open: it must not keep what its watches had.
const client = connect(server);
for await (const _ of client.watch(SELECTION)) break;
await closed(1);
await sleep(50);
const before = present();
const began = await (what === "abort" ? aborted(Number(count), client) : closed(Number(count)));
const deadline = performance.now() + 60_000;
let left;
do {
  await sleep(20);
  const now = present();
  left = Object.fromEntries(Object.keys(now).map((name) => [name, Math.max(0, now[name] - before[name])]));
} while (Object.values(left).some(Boolean) && performance.now() < deadline);
client.close();
console.log(JSON.stringify({ began, ...left }));
