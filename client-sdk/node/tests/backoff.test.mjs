// Tests of the waits after failures.
import assert from "node:assert/strict";
import { test } from "node:test";
import { internal } from "./support.mjs";

const { Backoff, RetryBudget } = await internal("backoff.js");

test("range doubles up to 30 seconds", () => {
  const longest = new Array(9).fill(0);
  for (let row = 0; row < 300; row++) {
    const backoff = new Backoff();
    longest.forEach((known, index) => (longest[index] = Math.max(known, backoff.next())));
  }
  for (const [index, bound] of [500, 1e3, 2e3, 4e3, 8e3, 16e3, 30e3, 30e3, 30e3].entries()) {
    assert.ok(0.8 * bound < longest[index] && longest[index] <= bound, `${index}: ${longest[index]}`);
  }
});

test("reset begins again", () => {
  const backoff = new Backoff();
  for (let failure = 0; failure < 20; failure++) backoff.next();
  backoff.reset();
  assert.ok(backoff.next() <= 500);
});

test("retry budget is a hundred per second after a burst of a hundred", () => {
  let now = 0;
  const budget = new RetryBudget(() => now);
  const waits = Array.from({ length: 300 }, () => budget.reserve(0));
  assert.equal(waits.filter((wait) => wait <= 0).length, 100);
  assert.equal(waits.at(-1), 2_000);
  assert.equal(budget.reserve(30_000), 30_000, "a longer wait stays as it is");
  now = 60_000;
  assert.equal(budget.reserve(0), 0);
});
