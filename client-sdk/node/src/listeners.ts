/** Functions that are called when one signal is aborted. */
class Listeners {
  readonly #all = new Set<() => void>();
  readonly #abort = () => {
    BY_SIGNAL.delete(this.signal);
    for (const listener of this.#all) listener();
  };

  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener("abort", this.#abort, { once: true });
    BY_SIGNAL.set(signal, this);
  }

  add(listener: () => void): void {
    this.#all.add(listener);
  }

  delete(listener: () => void): void {
    if (this.#all.delete(listener) && this.#all.size === 0) {
      BY_SIGNAL.delete(this.signal);
      this.signal.removeEventListener("abort", this.#abort);
    }
  }
}

const BY_SIGNAL = new WeakMap<AbortSignal, Listeners>();

/**
 * Calls a function when a signal is aborted, and returns a function that ends this. Any number of watches may have one signal: it gets one
 * listener for all, because Node warns of more than ten.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const listeners = BY_SIGNAL.get(signal) ?? new Listeners(signal);
  listeners.add(listener);
  return () => listeners.delete(listener);
}
