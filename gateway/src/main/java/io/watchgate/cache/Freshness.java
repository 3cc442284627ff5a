package io.watchgate.cache;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * When the apiserver last proved a state up to date: a list, as of the moment it was asked for; a
 * bookmark; an event of a watch that has caught up. Events that a watch replays after an outage
 * prove nothing: more may be on the way. What a slow link has delayed, or a machine on which the
 * gateway got no processor time, seems newer than it is by that delay; only requests of their own
 * would tell, and the gateway costs one list-watch for each type. Written by the cache's one
 * writer, read by any thread.
 */
final class Freshness {
  private final TimeSource time;
  private final long since;
  private volatile Revision.@Nullable Received proven;

  Freshness(TimeSource time) {
    this.time = time;
    this.since = time.nanoTime();
  }

  void proven(Revision.Received asOf) {
    proven = asOf;
  }

  /** Nanoseconds since the last proof; without one, since the beginning. */
  long stalenessNanos() {
    Revision.Received last = proven;
    return Math.max(0, time.nanoTime() - (last == null ? since : last.nanos()));
  }

  /** When the last proof was, null if there was none. */
  @Nullable Instant verifiedAt() {
    Revision.Received last = proven;
    return last == null ? null : last.wall();
  }
}
