import type { ServedType } from "./gen/watchgate/v1/watch_pb.js";

/** Type of objects at a gateway. */
export interface ResourceType {
  /** API group, empty for the core group. */
  readonly group: string;
  /** Version that is watched if a selection names none. */
  readonly version: string;
  /** Plural: `pods`. */
  readonly resource: string;
  /** Kind: `Pod`. */
  readonly kind: string;
  /** True if its objects have namespaces. */
  readonly isNamespaced: boolean;
  /** Short names: `po`. */
  readonly shortNames: readonly string[];
  /** Fields for `Selection.fields`. */
  readonly selectableFields: readonly string[];
  /** Number of objects. */
  readonly objects: number;
  /** True if the gateway has the whole state. */
  readonly isSynced: boolean;
  /** Last error of the apiserver, empty while it answers. */
  readonly error: string;
}

/** Returns the type of a message of the contract. */
export function typeOf(served: ServedType): ResourceType {
  return {
    group: served.resourceType?.group ?? "",
    version: served.resourceType?.version ?? "",
    resource: served.resourceType?.resource ?? "",
    kind: served.kind,
    isNamespaced: served.namespaced,
    shortNames: served.shortNames,
    selectableFields: served.selectableFields,
    objects: Number(served.objects),
    isSynced: served.synced,
    error: served.error,
  };
}
