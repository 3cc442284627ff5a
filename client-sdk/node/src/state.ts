import { Change, type Changes, type Snapshot } from "./updates.js";

/** Version of an object, without the object. The same resourceVersion may come with another body: after a change of its schema. */
class Version {
  readonly #hash: number;

  constructor(readonly change: { namespace: string; name: string; uid: string; resourceVersion: string }, body: Uint8Array | undefined) {
    this.#hash = body ? hashOf(body) : -1;
  }

  equals(other: Version): boolean {
    return this.change.resourceVersion === other.change.resourceVersion && this.#hash === other.#hash;
  }
}

/** Versions of the objects that a watch has yielded, by namespace and name. */
export class State {
  #versions = new Map<string, Version>();

  /** Applies changes, and returns them. */
  apply(changes: Changes): readonly Change[] {
    for (const change of changes.changes) {
      if (change.type === "DELETED") this.#versions.delete(change.key);
      else this.#versions.set(change.key, versionOf(change));
    }
    return changes.changes;
  }

  /** Replaces the state, and returns the differences: deletions first. Equal objects are left out. */
  replace(snapshot: Snapshot): Change[] {
    const before = this.#versions;
    const after = new Map(snapshot.objects.map((change) => [change.key, versionOf(change)]));
    this.#versions = after;
    const differences: Change[] = [];
    for (const [key, { change }] of before) {
      if (after.get(key)?.change.uid !== change.uid) {
        // The last state of the object is not known.
        differences.push(new Change("DELETED", change.namespace, change.name, change.uid, change.resourceVersion, undefined));
      }
    }
    for (const change of snapshot.objects) {
      const known = before.get(change.key);
      if (known?.change.uid !== change.uid) {
        differences.push(change);
      } else if (!known.equals(after.get(change.key)!)) {
        const { namespace, name, uid, resourceVersion, body } = change;
        differences.push(new Change("MODIFIED", namespace, name, uid, resourceVersion, body));
      }
    }
    return differences;
  }
}

function versionOf(change: Change): Version {
  const { namespace, name, uid, resourceVersion, body } = change;
  return new Version({ namespace, name, uid, resourceVersion }, body);
}

/** Returns the FNV-1a hash of bytes, read by index: an iterator calls a function for each byte. */
function hashOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < bytes.length; index++) hash = Math.imul(hash ^ bytes[index]!, 0x01000193);
  return hash >>> 0;
}
