package io.watchgate.cache;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** How a reflector tells time, draws lots and waits. */
record ReflectorClock(TimeSource time, RandomGenerator random, Sleeper waiting) {
  /** A period up to a quarter longer or shorter, so that types and replicas do not go in step. */
  Duration around(Duration every) {
    return Jitter.around(every, random);
  }
}
