/** Functions by the name of an index, each of which returns the values of an object. */
export type Indexes<T> = Readonly<Record<string, (object: T) => Iterable<unknown>>>;

/** Keys of the objects that have a value. */
export class Index<T> {
  readonly #keys = new Map<unknown, Set<string>>();
  readonly #added = new Map<string, unknown[]>(); // a program may change its objects

  constructor(private readonly values: (object: T) => Iterable<unknown>) {}

  /** Returns the keys of the objects that have a value. */
  keys(value: unknown): ReadonlySet<string> {
    return this.#keys.get(value) ?? new Set();
  }

  /** Adds an object. Throws what the function of the values throws. */
  add(key: string, object: T): void {
    const values = [...this.values(object)];
    this.#added.set(key, values);
    for (const value of values) {
      const keys = this.#keys.get(value);
      if (keys) keys.add(key);
      else this.#keys.set(value, new Set([key]));
    }
  }

  /** Removes the object of a key. */
  remove(key: string): void {
    for (const value of this.#added.get(key) ?? []) {
      const keys = this.#keys.get(value);
      keys?.delete(key);
      if (!keys?.size) this.#keys.delete(value);
    }
    this.#added.delete(key);
  }
}
