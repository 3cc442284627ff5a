import { onAbort } from "./listeners.js";

/** Returns the value of a promise. Throws the reason of the signal if it is aborted before. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let release = () => {};
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else release = onAbort(signal, () => reject(signal.reason));
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    release();
  }
}

/** Signal that is aborted together with other signals, or by itself. */
export class LinkedAbort {
  readonly #controller = new AbortController();
  readonly #releases: (() => void)[] = [];

  /** Links the signals until `release`. */
  constructor(...signals: (AbortSignal | undefined)[]) {
    for (const signal of signals) {
      if (signal?.aborted) {
        this.abort(signal.reason);
      } else if (signal) {
        this.#releases.push(onAbort(signal, () => this.abort(signal.reason)));
      }
    }
  }

  /** The signal of all. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts this signal alone. */
  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Ends the links. */
  release(): void {
    for (const release of this.#releases.splice(0)) release();
  }
}

/** Waits for a time in milliseconds. Throws the reason of the signal if it is aborted before. */
export async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await orAborted(new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds))), signal);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Wraps a generator. Its signal is aborted by any of `signals` and by `return()`, also while `next()` waits: `return()` of a plain generator
 * would wait until `next()` ends.
 */
export function abortable<T>(
  signals: (AbortSignal | undefined)[],
  run: (signal: AbortSignal) => AsyncGenerator<T, void, undefined>,
): AsyncGenerator<T, void, undefined> {
  const returned = new Error("the iteration was ended");
  let link: LinkedAbort | undefined;
  async function* linked(): AsyncGenerator<T, void, undefined> {
    link = new LinkedAbort(...signals);
    try {
      link.signal.throwIfAborted();
      yield* run(link.signal);
    } finally {
      link.release();
    }
  }
  const values = linked();
  const done: IteratorReturnResult<void> = { done: true, value: undefined };
  const end = async (): Promise<IteratorResult<T, void>> => {
    link?.abort(returned);
    await values.return();
    return done;
  };
  return {
    async next() {
      try {
        return await values.next();
      } catch (error) {
        if (error === returned) return done;
        throw error;
      }
    },
    return: end,
    async throw(error) {
      await end();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      await end();
    },
  };
}
