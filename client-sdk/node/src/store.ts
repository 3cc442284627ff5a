/// <reference lib="esnext.disposable" preserve="true" />
import { abortable } from "./abort.js";
import { closedError, type Failure } from "./errors.js";
import { Index, type Indexes } from "./indexes.js";
import { onAbort } from "./listeners.js";
import { PendingDifferences } from "./pending.js";
import { State } from "./state.js";
import { type Change, keyOf, type Update } from "./updates.js";

export type { Indexes };

/** Change of one object of a store. */
export interface Difference<T> {
  /** Namespace of the object, empty for a cluster-scoped one. */
  readonly namespace: string;
  /** Name of the object. */
  readonly name: string;
  /** The object before, undefined if it is new. */
  readonly old: T | undefined;
  /** The object now, undefined if it is gone. */
  readonly new: T | undefined;
}

/** Option of a wait. */
export interface WaitOptions {
  /** Ends the wait when it is aborted, with the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** Object of a store. */
interface Entry<T> {
  readonly namespace: string;
  readonly name: string;
  readonly object: T;
}

/**
 * Decoded objects by namespace and name, which follow the apiserver's state.
 *
 * A store keeps its last state while no gateway can be reached (`failure` says why) and after its watch has ended (`error` says why).
 */
export class Store<T> {
  readonly #updates: AsyncGenerator<Update, void, undefined>;
  readonly #decode: (json: string) => T;
  readonly #indexes: ReadonlyMap<string, Index<T>>;
  readonly #entries = new Map<string, Entry<T>>();
  readonly #state = new State();
  readonly #readers = new Set<PendingDifferences<T>>();
  readonly #waits = new Set<() => void>();
  readonly #following: Promise<void>;
  #resourceVersion = "";
  #failure: Failure | undefined;
  #ended: { error: unknown } | undefined;

  /** @internal */
  constructor(updates: AsyncGenerator<Update, void, undefined>, decode: (json: string) => T, indexes: Indexes<T>) {
    this.#updates = updates;
    this.#decode = decode;
    this.#indexes = new Map(Object.entries(indexes).map(([name, values]) => [name, new Index(values)]));
    this.#following = this.#follow();
  }

  /** @internal Records that a gateway has answered the stream. */
  opened(): void {
    this.#failure = undefined;
  }

  /** Number of objects. */
  get size(): number {
    return this.#entries.size;
  }

  /** Version of the state, empty before the first snapshot. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  /** Failure of the last stream, undefined while one is open. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** Reason why the store has ended: WatchgateError, the reason of its signal, or what `decode` or an index has thrown. Undefined until then. */
  get error(): unknown {
    return this.#ended?.error;
  }

  /** Returns an object; `namespace` is empty for a cluster-scoped one. */
  get(namespace: string, name: string): T | undefined {
    return this.#entries.get(keyOf(namespace, name))?.object;
  }

  /** Returns whether there is an object. */
  has(namespace: string, name: string): boolean {
    return this.#entries.has(keyOf(namespace, name));
  }

  /** Returns all objects, or those of a namespace. */
  list(namespace?: string): T[] {
    const entries = [...this.#entries.values()];
    return entries.filter((entry) => namespace === undefined || entry.namespace === namespace).map((entry) => entry.object);
  }

  /** Returns the objects that have all of these values in the indexes of these names: `where({ node: "n7" })`. */
  where(values: Readonly<Record<string, unknown>>): T[] {
    const sets = Object.entries(values).map(([name, value]) => {
      const index = this.#indexes.get(name);
      if (!index) throw new RangeError(`the store has no index ${name}; reflect(…, { indexes }) makes one`);
      return index.keys(value);
    });
    const [first = new Set(this.#entries.keys()), ...others] = sets.sort((a, b) => a.size - b.size);
    return [...first].filter((key) => others.every((keys) => keys.has(key))).map((key) => this.#entries.get(key)!.object);
  }

  /** Waits for the first snapshot. Throws `error` if the store ends. */
  async synced(options: WaitOptions = {}): Promise<void> {
    while (!this.#resourceVersion) await this.#update(options.signal);
  }

  /** Waits for the state of at least this version, of an object that you wrote or read. Throws `error` if the store ends. */
  async waitAtLeast(resourceVersion: string, options: WaitOptions = {}): Promise<void> {
    const wanted = BigInt(resourceVersion);
    while (!this.#resourceVersion || BigInt(this.#resourceVersion) < wanted) await this.#update(options.signal);
  }

  /**
   * Returns the objects that are there, and then the differences. The loop throws `error` when the store ends.
   *
   * A reader that is slower than the changes of an object gets one difference for them, from the object that it got last to the present one.
   */
  changes(options: WaitOptions = {}): AsyncGenerator<Difference<T>, void, undefined> {
    return abortable([options.signal], (signal) => this.#differences(signal));
  }

  async *#differences(signal: AbortSignal): AsyncGenerator<Difference<T>, void, undefined> {
    const pending = new PendingDifferences<T>();
    for (const [key, { namespace, name }] of this.#entries) pending.add(key, namespace, name);
    this.#readers.add(pending);
    try {
      for (;;) {
        for (const [key, { namespace, name, old }] of pending.taken()) {
          const now = this.#entries.get(key)?.object;
          if (old !== now) yield { namespace, name, old, new: now };
        }
        await this.#update(signal);
      }
    } finally {
      this.#readers.delete(pending);
    }
  }

  /** Ends the store; its waits throw WatchgateError. */
  async close(): Promise<void> {
    this.#end(closedError("store"));
    await this.#updates.return();
    await this.#following;
  }

  /** Closes the store at the end of a block with `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #follow(): Promise<void> {
    try {
      for await (const update of this.#updates) {
        if (update.kind === "INTERRUPTED") {
          this.#failure = update.failure;
          continue;
        }
        if (update.kind === "SNAPSHOT") this.#apply(this.#state.replace(update));
        else if (update.kind === "CHANGES") this.#apply(this.#state.apply(update));
        this.#resourceVersion = update.resourceVersion;
        this.#wake();
      }
    } catch (error) {
      this.#end(error);
    }
  }

  #end(error: unknown): void {
    this.#ended ??= { error };
    this.#wake();
  }

  #wake(): void {
    for (const wake of [...this.#waits]) wake();
  }

  /** Waits for the next update, or the end. */
  #update(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(this.#ended.error);
      if (signal?.aborted) return reject(signal.reason);
      const wake = () => {
        this.#waits.delete(wake);
        release?.();
        if (this.#ended) reject(this.#ended.error);
        else if (signal?.aborted) reject(signal.reason);
        else resolve();
      };
      const release = signal && onAbort(signal, wake);
      this.#waits.add(wake);
    });
  }

  #apply(changes: readonly Change[]): void {
    for (const change of changes) {
      const { key, namespace, name } = change;
      const old = this.#entries.get(key);
      const object = change.type === "DELETED" ? undefined : this.#decode(jsonOf(change));
      if (old) {
        this.#entries.delete(key);
        for (const index of this.#indexes.values()) index.remove(key);
      }
      if (object !== undefined) {
        this.#entries.set(key, { namespace, name, object });
        for (const index of this.#indexes.values()) index.add(key, object);
      }
      for (const pending of this.#readers) pending.change(key, change, old?.object, object);
    }
  }
}

/** Returns the object as JSON; without a body, the metadata that identifies it. */
export function jsonOf(change: Change): string {
  if (change.text !== undefined) return change.text;
  const { namespace, name, uid, resourceVersion } = change;
  return JSON.stringify({ metadata: { ...(namespace && { namespace }), name, uid, resourceVersion } });
}
