package io.watchgate.check.run;

import java.time.Duration;

/**
 * What a run does.
 *
 * @param subscribers of all types together
 * @param rate writes a second
 * @param duration of the writes
 * @param seed of all that is decided at random; when it happens is up to the machine
 * @param settle how long everybody may take to come to the last write
 */
public record CheckPlan(
    int subscribers, double rate, Duration duration, long seed, Duration settle) {
  /** What there is time for. */
  public static final Duration USUAL_SETTLE = Duration.ofSeconds(30);
}
