package io.watchgate.cache;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** Clock, random source and sleeper of a reflector. */
record ReflectorClock(TimeSource time, RandomGenerator random, Sleeper sleeper) {
  /**
   * Returns a period that is up to a quarter longer or shorter, so that types and replicas do not
   * synchronize.
   */
  Duration jittered(Duration every) {
    return Jitter.jittered(every, random);
  }
}
