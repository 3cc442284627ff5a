// Parts that the tests share: modules of the package that it does not export, a gateway with a client, and waits.
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "@watchgate/client";
import { FakeGateway } from "@watchgate/client/testing";

/** Longest time of a wait, in milliseconds. */
export const LIMIT = 60_000;

/** Returns a module of the installed package. */
export function internal(module) {
  return import(new URL(module, import.meta.resolve("@watchgate/client")));
}

/** Starts a gateway and a client of it, which end with the test. */
export async function start(t, options = {}) {
  const gateway = await FakeGateway.start();
  const client = connect(gateway.address, options);
  t.after(() => {
    client.close();
    gateway.close();
  });
  return { gateway, client };
}

/** Waits until a condition holds. */
export async function until(condition) {
  const deadline = performance.now() + LIMIT;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`it took more than ${LIMIT} ms: ${condition}`);
    await sleep(5);
  }
}

/** Returns the next value of an iteration, within the limit. */
export async function next(values) {
  const { done, value } = await within(values.next());
  if (done) throw new Error("the iteration ended");
  return value;
}

/** Returns the value of a promise, within the limit. */
export function within(promise) {
  const late = new AbortController();
  const timeout = sleep(LIMIT, undefined, { signal: late.signal }).then(() => {
    throw new Error(`it took more than ${LIMIT} ms`);
  });
  timeout.catch(() => {});
  return Promise.race([promise, timeout]).finally(() => late.abort());
}

/** Returns a change as text. */
export function line(change) {
  return `${change.type} ${change.key}`;
}

/** Returns a source of random numbers below 1, whose seed it prints. */
export function randomOf(t, seed = Math.floor(Math.random() * 2 ** 32)) {
  t.diagnostic(`seed ${seed}`);
  let state = seed;
  return () => {
    // SplitMix32.
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
