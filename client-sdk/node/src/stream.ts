import { toBinary } from "@bufbuild/protobuf";
import { LinkedAbort } from "./abort.js";
import { milliseconds } from "./duration.js";
import { type CallFailed, callFailure, decoded, localFailure, UnknownChange } from "./errors.js";
import { GoingAwayReason, type ListAndWatchRequest, ListAndWatchRequestSchema } from "./gen/watchgate/v1/watch_pb.js";
import { ListAndWatchResponseSchema } from "./gen/watchgate/v1/watch_pb.js";
import type { Transport } from "./transport.js";
import { type Change, changeOf, type NetEffect, netEffectOf, type Received } from "./updates.js";

/** Milliseconds: three bookmark intervals of 30 s, until a gateway names another one. */
const SILENCE = 90_000;

/** Request of a client to open another stream. */
export interface GoingAway {
  readonly reason: GoingAwayReason;
  /** Milliseconds within which the other stream is to be opened. */
  readonly withinMs: number;
}

/** Stream that is open, and the part of a snapshot or a net effect that has arrived. */
export class Stream {
  readonly #link: LinkedAbort;
  readonly #outer: AbortSignal;
  readonly #responses: AsyncGenerator<Uint8Array, void, undefined>;
  #silence = SILENCE;
  #held: Change[] = [];
  #isSnapshot = false;
  #netEffect: NetEffect | undefined;
  #silent: CallFailed | undefined;
  /** True once a gateway has answered. */
  isAnswered = false;
  /** Set once the gateway asked for another stream. */
  goingAway: GoingAway | undefined;

  constructor(transport: Transport, request: ListAndWatchRequest, headers: ReadonlyMap<string, string>, signal: AbortSignal) {
    this.#outer = signal;
    this.#link = new LinkedAbort(signal);
    const encoded = toBinary(ListAndWatchRequestSchema, request);
    this.#responses = transport.call("ListAndWatch", encoded, headers, this.#link.signal);
  }

  /** Ends the stream. */
  async close(): Promise<void> {
    this.#link.abort(undefined);
    this.#link.release();
    await this.#responses.return();
  }

  /** Waits for a response, and returns the update that it completes. Throws CallFailed, or the reason of the signal. */
  async read(): Promise<Received | undefined> {
    const response = decoded(ListAndWatchResponseSchema, await this.#response());
    const { signal, resumeToken: token, resourceVersion } = response;
    if (signal.case === "opened") {
      this.isAnswered = true;
      this.#silence = 3 * milliseconds(signal.value.delivery?.bookmarkInterval) || SILENCE;
    } else if (signal.case === "snapshotStarted") {
      this.#held = [];
      this.#isSnapshot = true;
      this.#netEffect = undefined;
    } else if (signal.case === "netEffectStarted") {
      this.#netEffect = netEffectOf(signal.value);
    } else if (signal.case === "goingAway") {
      this.goingAway = { reason: signal.value.reason, withinMs: milliseconds(signal.value.reconnectWithin) };
    }
    for (const event of response.events) {
      const change = changeOf(event);
      if (!change) throw new UnknownChange();
      this.#held.push(change);
    }
    if (!token.length) return undefined;
    const held = this.#held;
    const isSnapshot = this.#isSnapshot;
    const netEffect = this.#netEffect;
    this.#held = [];
    this.#isSnapshot = false;
    this.#netEffect = undefined;
    if (isSnapshot) return { kind: "SNAPSHOT", objects: held, resourceVersion, token };
    if (held.length || netEffect) return { kind: "CHANGES", changes: held, netEffect, resourceVersion, token };
    return { kind: signal.case === "resumed" ? "RESUMED" : "BOOKMARK", resourceVersion, token };
  }

  async #response(): Promise<Uint8Array> {
    const timer = setTimeout(() => {
      this.#silent = localFailure("DEADLINE_EXCEEDED", `the stream was silent for ${this.#silence / 1000} s`);
      this.#link.abort(undefined);
    }, this.#silence);
    let result: IteratorResult<Uint8Array, void>;
    try {
      result = await this.#responses.next();
    } catch (error) {
      this.#outer.throwIfAborted();
      throw this.#silent ?? callFailure(error);
    } finally {
      clearTimeout(timer);
    }
    if (result.done) {
      this.#outer.throwIfAborted();
      throw this.#silent ?? localFailure("UNKNOWN", "the stream ended without an error, which a gateway never does");
    }
    return result.value;
  }
}
