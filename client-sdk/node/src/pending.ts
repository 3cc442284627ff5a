/** Name of an object, and the object that a reader got last. */
export interface Pending<T> {
  readonly namespace: string;
  readonly name: string;
  readonly old: T | undefined;
}

/** Differences that a reader of a store has not got yet: at most one for each object that it got, and for each that is there. */
export class PendingDifferences<T> {
  readonly #byKey = new Map<string, Pending<T>>();

  /** Number of differences. */
  get size(): number {
    return this.#byKey.size;
  }

  /** Adds an object that is there, and that the reader has not got. */
  add(key: string, namespace: string, name: string): void {
    this.#byKey.set(key, { namespace, name, old: undefined });
  }

  /** Merges a change of an object into its difference. */
  change(key: string, { namespace, name }: { readonly namespace: string; readonly name: string }, before: T | undefined, now: T | undefined): void {
    const known = this.#byKey.get(key);
    const old = known ? known.old : before;
    // An object that was created and deleted would stay here until the reader continues: any number of names.
    if (old === undefined && now === undefined) this.#byKey.delete(key);
    else if (!known) this.#byKey.set(key, { namespace, name, old });
  }

  /** Removes and returns the differences in their order; an object that changes meanwhile comes again. */
  *taken(): Generator<[string, Pending<T>], void, undefined> {
    for (const [key, pending] of this.#byKey) {
      this.#byKey.delete(key);
      yield [key, pending];
    }
  }
}
