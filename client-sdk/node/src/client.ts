/// <reference lib="esnext.disposable" preserve="true" />
import { create, type DescMessage, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { abortable, LinkedAbort, orAborted, sleep } from "./abort.js";
import { Backoff } from "./backoff.js";
import type { Context } from "./context.js";
import { CallFailed, callFailure, closedError, decoded, localFailure, WatchgateError } from "./errors.js";
import { type ExpiredPolicy, Follower } from "./follower.js";
import {
  ExpiredPositionPolicy,
  ListAndWatchRequestSchema,
  ListObjectsRequestSchema,
  ListObjectsResponseSchema,
  ListResourceTypesRequestSchema,
  ListResourceTypesResponseSchema,
} from "./gen/watchgate/v1/watch_pb.js";
import type { Replica } from "./replicas.js";
import { type ResourceType, typeOf } from "./resource-type.js";
import { messagesOf, type Selection } from "./selection.js";
import { State } from "./state.js";
import { type Indexes, Store } from "./store.js";
import { type Change, changeOf, type Position, type Update } from "./updates.js";

const CALL_TIMEOUT = 30_000; // ms

/** Options of a watch. */
export interface WatchOptions {
  /** Ends the watch when it is aborted: the loop throws the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Reaction to changes that are not available any more. `SNAPSHOT`, the default, continues with a new snapshot; `FAIL` throws WatchgateError. */
  readonly expired?: ExpiredPolicy;
  /** Version of an object that the program wrote or read elsewhere: the watch begins with a state that is at least as new. */
  readonly minimumResourceVersion?: string;
}

/** Options of updates. */
export interface UpdatesOptions extends WatchOptions {
  /** Last token of an equal selection: the updates begin after it. */
  readonly token?: Uint8Array;
}

/** Options of a store. */
export interface ReflectOptions<T> extends WatchOptions {
  /**
   * Makes a value, not undefined, of the JSON of each object; `JSON.parse` by default. For an object without a body it gets the metadata that
   * identifies it. An exception ends the store.
   */
  readonly decode?: (json: string) => T;
  /** Functions that return the values by which `where` finds an object. An exception ends the store. */
  readonly indexes?: Indexes<T>;
}

/** Options of a call with one answer. */
export interface CallOptions {
  /** Ends the call when it is aborted. */
  readonly signal?: AbortSignal;
  /** Milliseconds for all attempts together; 30,000 by default. */
  readonly timeoutMs?: number;
}

/** Answer to `list`. */
export interface ObjectList extends Position {
  /** The objects, all of one version, each as ADDED. */
  readonly objects: readonly Change[];
}

/** Client of the replicas of a gateway. Made by `connect`; connects on first use. */
export class Client {
  readonly #context: Context;
  readonly #closing = new AbortController();

  /** @internal */
  constructor(context: Context) {
    this.#context = context;
  }

  /** Ends all watches, stores and calls with WatchgateError, and closes the connections. */
  close(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(closedError("client"));
    this.#context.replicas.close();
  }

  /** Closes the client at the end of a block with `using`. */
  [Symbol.dispose](): void {
    this.close();
  }

  /**
   * Returns the objects that match as ADDED, and then every change.
   *
   * The watch continues by itself when a gateway restarts or the connection breaks, and returns no change twice; after a new snapshot it returns
   * the differences. The loop throws WatchgateError when it cannot continue: a person has to correct something then. Leaving the loop closes the
   * stream.
   */
  watch(selection: Selection, options: WatchOptions = {}): AsyncGenerator<Change, void, undefined> {
    const follower = this.#follower(selection, options);
    return abortable([options.signal, this.#closing.signal], async function* (signal) {
      const state = new State();
      for await (const update of follower.updates(signal)) {
        if (update.kind === "SNAPSHOT") yield* state.replace(update);
        else if (update.kind === "CHANGES") yield* state.apply(update);
      }
    });
  }

  /**
   * Returns snapshots, changes and tokens, for a program that keeps the state, and the token with it, by itself.
   *
   * The loop throws WatchgateError when it cannot continue.
   */
  updates(selection: Selection, options: UpdatesOptions = {}): AsyncGenerator<Update, void, undefined> {
    const follower = this.#follower(selection, options);
    return abortable([options.signal, this.#closing.signal], (signal) => follower.updates(signal));
  }

  /** Returns a store, which follows from now on until it is closed. */
  reflect<T = any>(selection: Selection, options: ReflectOptions<T> = {}): Store<T> {
    const follower = this.#follower(selection, options);
    const updates = abortable([options.signal, this.#closing.signal], (signal) => follower.updates(signal));
    const store = new Store<T>(updates, options.decode ?? JSON.parse, options.indexes ?? {});
    follower.onResponse = () => store.opened();
    return store;
  }

  /**
   * Returns the objects that match, all of one version. No matching object is an ObjectList without objects.
   *
   * Throws WatchgateError if no replica answers within the timeout, or at once if one answers STOP.
   */
  async list(selection: Selection, options: CallOptions = {}): Promise<ObjectList> {
    const request = create(ListObjectsRequestSchema, messagesOf(selection));
    return this.#untilAnswered(options, async (call) => {
      const objects: Change[] = [];
      request.pageToken = new Uint8Array();
      for (;;) {
        const page = await call("ListObjects", ListObjectsRequestSchema, request, ListObjectsResponseSchema);
        for (const event of page.objects) {
          const change = changeOf(event);
          if (!change) throw localFailure("INTERNAL", `the list has an object of the unknown type ${event.type}`, "STOP");
          objects.push(change);
        }
        request.pageToken = page.nextPageToken;
        if (!request.pageToken.length) return { objects, resourceVersion: page.resourceVersion, token: page.resumeToken };
      }
    });
  }

  /** Returns the types that the gateway knows. Throws WatchgateError if no replica answers within the timeout, or at once if one answers STOP. */
  async types(options: CallOptions = {}): Promise<readonly ResourceType[]> {
    const request = create(ListResourceTypesRequestSchema);
    return this.#untilAnswered(options, async (call) => {
      const answer = await call("ListResourceTypes", ListResourceTypesRequestSchema, request, ListResourceTypesResponseSchema);
      return answer.types.map(typeOf);
    });
  }

  #follower(selection: Selection, options: UpdatesOptions): Follower {
    const expired = options.expired ?? "SNAPSHOT";
    const request = create(ListAndWatchRequestSchema, {
      ...messagesOf(selection),
      delivery: { expiredPositionPolicy: ExpiredPositionPolicy[expired] },
      minimumResourceVersion: options.minimumResourceVersion ?? "",
    });
    if (options.token?.length) request.start = { case: "resumeToken", value: options.token };
    return new Follower(this.#context, request, expired);
  }

  /** Calls one replica after another until the timeout. Throws the failure that a replica sent, rather than that of the timeout. */
  async #untilAnswered<A>(options: CallOptions, attempt: (call: Call) => Promise<A>): Promise<A> {
    const timeout = options.timeoutMs ?? CALL_TIMEOUT;
    const deadline = performance.now() + timeout;
    const link = new LinkedAbort(options.signal, this.#closing.signal);
    const late = localFailure("DEADLINE_EXCEEDED", `no answer came within ${timeout} ms`);
    const timer = setTimeout(() => link.abort(late), timeout);
    const backoff = new Backoff();
    let sent: CallFailed | undefined;
    try {
      for (;;) {
        link.signal.throwIfAborted();
        let replica: Replica | undefined; // without one, the failure is that of the token
        let failed: CallFailed;
        try {
          const headers = await orAborted(this.#context.headers(), link.signal);
          replica = this.#context.replicas.choose();
          const answer = await attempt(callOf(replica, headers, link.signal));
          replica.recordAnswer();
          return answer;
        } catch (error) {
          if (!(error instanceof CallFailed) || error === late) throw error;
          failed = error;
        }
        replica?.recordFailure(failed.failure);
        sent = failed;
        const delay = backoff.next() + failed.failure.retryAfterMs;
        if (failed.failure.action === "STOP" || performance.now() + delay >= deadline) throw failed;
        await sleep(delay, link.signal);
      }
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      throw new WatchgateError((sent ?? error).failure, { cause: error.cause });
    } finally {
      clearTimeout(timer);
      link.release();
    }
  }
}

/** Call with one answer, at a replica. */
type Call = <Q extends DescMessage, A extends DescMessage>(
  method: string,
  requestSchema: Q,
  request: MessageShape<Q>,
  answerSchema: A,
) => Promise<MessageShape<A>>;

function callOf(replica: Replica, headers: ReadonlyMap<string, string>, signal: AbortSignal): Call {
  return async (method, requestSchema, request, answerSchema) => {
    try {
      for await (const message of replica.transport.call(method, toBinary(requestSchema, request), headers, signal)) {
        return decoded(answerSchema, message);
      }
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof CallFailed ? error : callFailure(error);
    }
    throw localFailure("UNKNOWN", "the call ended without an answer, which a gateway never does");
  };
}
