const FIRST_RANGE = 500; // ms
const LONGEST_RANGE = 30_000;
const RETRY_INTERVAL = 10;
const RETRY_BURST = 1000;

/** Random waits, whose range doubles with each failure in a row. */
export class Backoff {
  #failures = 0;

  constructor(private readonly firstRange = FIRST_RANGE) {}

  /** Ends the row of failures. */
  reset(): void {
    this.#failures = 0;
  }

  /** Counts a failure, and returns the milliseconds to wait after it. */
  next(): number {
    const range = Math.min(LONGEST_RANGE, this.firstRange * 2 ** Math.min(this.#failures, 10));
    this.#failures++;
    return Math.random() * range;
  }
}

/**
 * Limit of the retries of a client: 100 per second, after a burst of 100. Each watch has a backoff, but thousands of them retry thousands of
 * times per second.
 */
export class RetryBudget {
  #next = 0;

  /** `now` is a clock in milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {
    this.#next = now() - RETRY_BURST;
  }

  /** Counts a retry, and returns the wait before it: the given one, or a longer one if too many retries are due. */
  reserve(wait: number): number {
    const now = this.now();
    this.#next = Math.max(this.#next, now - RETRY_BURST) + RETRY_INTERVAL;
    return Math.max(wait, this.#next - now);
  }
}
