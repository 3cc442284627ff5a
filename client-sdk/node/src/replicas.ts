import { Backoff } from "./backoff.js";
import type { Failure } from "./errors.js";
import { GoingAwayReason } from "./gen/watchgate/v1/watch_pb.js";
import type { Transport } from "./transport.js";

const DRAINING_TIME = 30_000; // ms for which a replica that shuts down may still be reachable
const REBALANCING_TIME = 10_000; // that a replica with too many streams may need to move them away
const BEHIND_TIME = 5_000; // that a replica which lags or loads may need to catch up
const FIRST_UNREACHABLE_RANGE = 1_000;

/** Times for which other replicas are preferred after an error with a reason; 0 for any other reason. */
const AVOIDED_AFTER = new Map([
  ["DRAINING", DRAINING_TIME],
  ["REBALANCING", REBALANCING_TIME],
  ...["STARTING", "BEHIND", "TOO_STALE", "UPSTREAM_UNAVAILABLE", "MEMORY", "QUOTA"].map((reason): [string, number] => [reason, BEHIND_TIME]),
]);

/** One replica of a gateway, with its failures. */
export class Replica {
  readonly #backoff = new Backoff(FIRST_UNREACHABLE_RANGE);
  #avoidedUntil = 0;
  #isUnreachable = false;
  /** Sequence number of the last choose() that returned this replica. */
  lastChoice = 0;

  constructor(readonly transport: Transport) {}

  /** True while other replicas are preferred. */
  get isAvoided(): boolean {
    return performance.now() < this.#avoidedUntil;
  }

  /** Records that it answered. */
  recordAnswer(): void {
    this.#backoff.reset();
    if (this.#isUnreachable) this.#avoidedUntil = 0;
    this.#isUnreachable = false;
  }

  /** Records why a stream or a call ended. */
  recordFailure(failure: Failure): void {
    if (failure.reason) {
      this.recordAnswer();
      this.#avoid(AVOIDED_AFTER.get(failure.reason) ?? 0);
    } else if (!this.isAvoided) {
      // All streams of a connection end together: they are one failure.
      this.#isUnreachable = true;
      this.#avoid(this.#backoff.next());
    }
  }

  /** Records a GOING_AWAY: other replicas are preferred for a time that depends on the reason. */
  recordGoingAway(reason: GoingAwayReason): void {
    if (reason === GoingAwayReason.DRAINING) this.#avoid(DRAINING_TIME);
    else if (reason === GoingAwayReason.REBALANCING) this.#avoid(REBALANCING_TIME);
  }

  #avoid(time: number): void {
    if (time > 0) this.#avoidedUntil = performance.now() + time;
  }
}

/** Replicas of a gateway, which take turns. */
export class Replicas {
  readonly #replicas: Replica[];
  #next: number;
  #choices = 0;

  /** `first` is the index of the first choice. */
  constructor(transports: Transport[], first: number) {
    this.#replicas = transports.map((transport) => new Replica(transport));
    this.#next = first;
  }

  /** Number of replicas. */
  get size(): number {
    return this.#replicas.length;
  }

  /** Returns the replica of the next stream: in turn, without those that failed lately, unless all did. */
  choose(): Replica {
    const order = this.#replicas.map((_, index) => this.#replicas[(this.#next + index) % this.size]!);
    // Failures of all replicas may be out of date, so each is tried again.
    const chosen = order.find((replica) => !replica.isAvoided) ?? order.reduce((a, b) => (b.lastChoice < a.lastChoice ? b : a));
    this.#next = (this.#replicas.indexOf(chosen) + 1) % this.size;
    chosen.lastChoice = ++this.#choices;
    return chosen;
  }

  /** Closes the connections. */
  close(): void {
    for (const { transport } of this.#replicas) transport.close();
  }
}
