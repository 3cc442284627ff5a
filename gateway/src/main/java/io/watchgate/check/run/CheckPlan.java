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
 * @param lateness how much later than another watch the gateway may be told of a change without
 *     knowing that: the link to its apiserver delays, it was away itself for a moment, or its clock
 *     differs
 */
public record CheckPlan(
    int subscribers,
    double rate,
    Duration duration,
    long seed,
    Duration settle,
    Duration lateness) {
  /** For {@code settle}: several times what a gateway needs that just lost its apiserver. */
  public static final Duration USUAL_SETTLE = Duration.ofSeconds(30);

  /** For {@code lateness}: two seconds are what a gateway does not notice, one is for clocks. */
  public static final Duration USUAL_LATENESS = Duration.ofSeconds(3);
}
