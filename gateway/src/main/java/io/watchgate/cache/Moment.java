package io.watchgate.cache;

import java.time.Instant;

/** A point in time, on the clock that people read and on the one that durations are measured on. */
record Moment(Instant wall, long nanos) {
  static Moment now(TimeSource time) {
    return new Moment(time.now(), time.nanoTime());
  }
}
