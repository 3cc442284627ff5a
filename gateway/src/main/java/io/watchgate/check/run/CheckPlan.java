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
 * @param names of the objects that are written
 */
public record CheckPlan(
    int subscribers,
    double rate,
    Duration duration,
    long seed,
    Duration settle,
    Duration clockSkew,
    Names names) {
  /** What objects are called. */
  public enum Names {
    PLAIN,
    /** Roles are written and watched too, whose names hold what JSON escapes. */
    ODD
  }

  /** With plain names. */
  public CheckPlan(
      int subscribers,
      double rate,
      Duration duration,
      long seed,
      Duration settle,
      Duration clockSkew) {
    this(subscribers, rate, duration, seed, settle, clockSkew, Names.PLAIN);
  }

  /** The same with other names. */
  public CheckPlan with(Names others) {
    return new CheckPlan(subscribers, rate, duration, seed, settle, clockSkew, others);
  }

  /** For {@code settle}: several times what a gateway needs that just lost its apiserver. */
  public static final Duration USUAL_SETTLE = Duration.ofSeconds(30);
}
