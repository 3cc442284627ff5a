import { EventType, NetEffectReason, type NetEffectStarted, type WatchEvent } from "./gen/watchgate/v1/watch_pb.js";
import type { Failure } from "./errors.js";

/** Kind of a change. */
export type ChangeType = "ADDED" | "MODIFIED" | "DELETED";

const TYPES = new Map<EventType, ChangeType>([
  [EventType.ADDED, "ADDED"],
  [EventType.MODIFIED, "MODIFIED"],
  [EventType.DELETED, "DELETED"],
]);

const UTF8 = new TextDecoder();

/** Change of one object. */
export class Change {
  #object: unknown;

  /** @internal */
  constructor(
    /** Kind of the change. */
    readonly type: ChangeType,
    /** Namespace of the object, empty for a cluster-scoped one. */
    readonly namespace: string,
    /** Name of the object. */
    readonly name: string,
    /** UID of the object, empty if the apiserver gives none. */
    readonly uid: string,
    /** Version of the object, of a deletion that of the deletion. */
    readonly resourceVersion: string,
    /**
     * The object as JSON, after the change, or before the deletion. Undefined if the object exceeds the largest response, if the view has no
     * bodies, or if the deletion was found by comparing states.
     */
    readonly body: Uint8Array | undefined,
  ) {}

  /** Namespace and name: `shop/web-1`, `/node-1`. */
  get key(): string {
    return keyOf(this.namespace, this.name);
  }

  /** The body as text, which has all digits of its numbers. */
  get text(): string | undefined {
    return this.body && UTF8.decode(this.body);
  }

  /** The parsed body, undefined without one. Numbers beyond 2^53 lose digits; `text` has them. */
  get object(): any {
    if (this.body && this.#object === undefined) this.#object = JSON.parse(this.text!);
    return this.#object;
  }
}

/** Position of a watch. */
export interface Position {
  /** Version of the position, for comparison with versions of objects. */
  readonly resourceVersion: string;
  /** Token with which `updates` continues after the position. */
  readonly token: Uint8Array;
}

/** Complete state, which replaces the one before. */
export interface Snapshot extends Position {
  /** Discriminates updates. */
  readonly kind: "SNAPSHOT";
  /** The objects, each as ADDED. */
  readonly objects: readonly Change[];
}

/** Range of changes of which only the difference between its two ends was sent. */
export interface NetEffect {
  /** `LAG`: the stream was too far behind. `UPSTREAM_GAP`: the gateway had to list again. A later gateway may have others. */
  readonly reason: string;
  /** Number of changes in the range, 0 if it is unknown. */
  readonly eventsReplaced: bigint;
}

/** Changes to be applied together, up to the position. */
export interface Changes extends Position {
  /** Discriminates updates. */
  readonly kind: "CHANGES";
  /** The changes, in their order. */
  readonly changes: readonly Change[];
  /** Set if the changes stand for others, which were not sent one by one; there may be none then. */
  readonly netEffect: NetEffect | undefined;
}

/** Beginning of changes without a snapshot: those since the token follow. */
export interface Resumed extends Position {
  /** Discriminates updates. */
  readonly kind: "RESUMED";
}

/** Position up to which everything was sent. */
export interface Bookmark extends Position {
  /** Discriminates updates. */
  readonly kind: "BOOKMARK";
}

/** Failure of a stream, or of the attempt to open one. */
export interface Interrupted {
  /** Discriminates updates. */
  readonly kind: "INTERRUPTED";
  /** Reason of the end. */
  readonly failure: Failure;
  /** Milliseconds until the next stream is opened. */
  readonly delayMs: number;
}

/** Update that a gateway sent. */
export type Received = Snapshot | Changes | Resumed | Bookmark;

/** Update of a watch. */
export type Update = Received | Interrupted;

/** Returns the change of an event, undefined for an unknown type, and for a patch, which this package does not request. */
export function changeOf(event: WatchEvent): Change | undefined {
  const type = event.body.case === "patch" ? undefined : TYPES.get(event.type);
  const { namespace = "", name = "", uid = "" } = event.key ?? {};
  return type && new Change(type, namespace, name, uid, event.resourceVersion, event.body.case === "object" ? event.body.value : undefined);
}

/** Returns the net effect that a signal announces. */
export function netEffectOf({ reason, eventsReplaced }: NetEffectStarted): NetEffect {
  return { reason: NetEffectReason[reason] ?? String(reason), eventsReplaced };
}

/** Returns the key of an object. */
export function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
