package io.watchgate.cache;

import java.time.Instant;

/** Reading of the wall clock and of the monotonic clock, on which durations are measured. */
record ClockReading(Instant wall, long nanos) {
  static ClockReading now(TimeSource time) {
    return new ClockReading(time.now(), time.nanoTime());
  }
}
