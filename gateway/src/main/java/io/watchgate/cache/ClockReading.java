package io.watchgate.cache;

import java.time.Instant;

/** A point in time, on the clock that people read and on the one that durations are measured on. */
record ClockReading(Instant wall, long nanos) {
  static ClockReading now(TimeSource time) {
    return new ClockReading(time.now(), time.nanoTime());
  }
}
