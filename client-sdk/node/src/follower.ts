import { orAborted, sleep } from "./abort.js";
import { Backoff } from "./backoff.js";
import type { Context } from "./context.js";
import { CallFailed, type Failure, mayBeWrongAddress, UnknownChange, WatchgateError } from "./errors.js";
import type { ListAndWatchRequest } from "./gen/watchgate/v1/watch_pb.js";
import type { Replica } from "./replicas.js";
import { Stream } from "./stream.js";
import type { Received, Update } from "./updates.js";

/** Reaction to changes that are not available any more: a new snapshot, or the end of the watch with an error. */
export type ExpiredPolicy = "SNAPSHOT" | "FAIL";

/** Watch of one selection, which resumes by itself after the waits of the contract. */
export class Follower {
  readonly #backoff = new Backoff();
  #isAnswered = false; // by a gateway, ever
  #wrongSince: number | undefined;
  #isUnreadable = false; // the last failure is a change that this version does not know
  /** Called while a stream is open, once for each response. */
  onResponse: () => void = () => {};

  constructor(
    private readonly context: Context,
    private readonly request: ListAndWatchRequest,
    private readonly expired: ExpiredPolicy,
  ) {
    request.clientName = context.clientName;
    if (context.replicas.size > 1) request.features.push("replicas");
  }

  /**
   * Returns updates until a stream ends with STOP, or only servers that are not a gateway have answered for too long. Throws WatchgateError then,
   * or the reason of the signal. Called once.
   */
  async *updates(signal: AbortSignal): AsyncGenerator<Update, void, undefined> {
    for (;;) {
      let replica: Replica | undefined; // without one, the failure is that of the token
      let delayMs: number;
      try {
        const headers = await orAborted(this.context.headers(), signal);
        replica = this.context.replicas.choose();
        const stream = new Stream(replica.transport, this.request, headers, signal);
        try {
          while (!stream.goingAway) {
            const update = await stream.read();
            if (stream.isAnswered) {
              this.#isAnswered = true;
              replica.recordAnswer();
              this.onResponse();
            }
            if (update) {
              this.#progress(update);
              yield update;
            }
          }
        } finally {
          await stream.close();
        }
        replica.recordGoingAway(stream.goingAway.reason);
        delayMs = Math.random() * stream.goingAway.withinMs;
      } catch (error) {
        if (!(error instanceof CallFailed)) throw error;
        const { failure } = error;
        replica?.recordFailure(failure);
        const ended = this.#end(failure);
        delayMs = this.context.budget.reserve(failure.retryAfterMs + this.#backoff.next());
        if (failure.action === "RESTART") this.request.start = { case: undefined };
        this.#isUnreadable ||= error instanceof UnknownChange;
        yield { kind: "INTERRUPTED", failure, delayMs: ended ? 0 : delayMs };
        if (ended) throw new WatchgateError(ended, { cause: error.cause });
      }
      await sleep(delayMs, signal);
    }
  }

  #progress({ kind, token }: Received): void {
    const { start } = this.request;
    // The snapshot after an unknown change is no progress: the next such change asks for another snapshot.
    if (this.#isUnreadable ? kind === "BOOKMARK" : !(start.case === "resumeToken" && isEqual(start.value, token))) {
      this.#backoff.reset();
      this.#isUnreadable = false;
    }
    this.request.start = { case: "resumeToken", value: token };
    this.request.minimumResourceVersion = ""; // the token is not older
  }

  /** Returns the end of the watch, if it cannot continue. */
  #end(failure: Failure): Failure | undefined {
    this.#isAnswered ||= failure.reason !== "";
    if (failure.action === "STOP" || (failure.action === "RESTART" && this.expired === "FAIL")) return failure;
    if (this.#isAnswered || !mayBeWrongAddress(failure)) return undefined;
    this.#wrongSince ??= performance.now();
    const tried = performance.now() - this.#wrongSince;
    if (tried < this.context.firstAnswerTimeoutMs) return undefined;
    const message =
      `no Watchgate has answered there for ${(tried / 1000).toFixed()} s. What answers is a proxy or load balancer in between, or another server: ` +
      `${failure.code}, ${failure.message}. Check host and port, and that everything in between passes on gRPC over HTTP/2`;
    return { ...failure, action: "STOP", message };
  }
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
