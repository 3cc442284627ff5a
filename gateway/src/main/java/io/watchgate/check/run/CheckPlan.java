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
 * @param clockSkew how much the gateway's clock may be ahead of the judge's. When a change was
 *     heard of is of no account: what a gateway has asked its apiserver for covers all before that
 */
public record CheckPlan(
    int subscribers,
    double rate,
    Duration duration,
    long seed,
    Duration settle,
    Duration clockSkew) {
  /** For {@code settle}: several times what a gateway needs that just lost its apiserver. */
  public static final Duration USUAL_SETTLE = Duration.ofSeconds(30);
}
