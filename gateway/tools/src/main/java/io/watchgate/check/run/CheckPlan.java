package io.watchgate.check.run;

import java.time.Duration;

/**
 * Parameters of a run.
 *
 * @param subscribers number of subscribers of all types together
 * @param rate writes per second
 * @param duration duration of the writes
 * @param seed seed of all random choices; their timing depends on the machine
 * @param settleTimeout maximum time in which all subscribers must reach the last write
 * @param clockSkew maximum lead of the gateway's clock over the judge's clock. The delay with which
 *     a change is received does not matter, because a gateway's request to its apiserver covers all
 *     earlier changes
 * @param names names of the written objects
 */
public record CheckPlan(
    int subscribers,
    double rate,
    Duration duration,
    long seed,
    Duration settleTimeout,
    Duration clockSkew,
    Names names) {
  /** Names of the written objects. */
  public enum Names {
    PLAIN,
    /** Also writes and watches roles, with names that contain characters escaped in JSON. */
    ODD
  }

  /** Creates a plan with plain names. */
  public CheckPlan(
      int subscribers,
      double rate,
      Duration duration,
      long seed,
      Duration settle,
      Duration clockSkew) {
    this(subscribers, rate, duration, seed, settle, clockSkew, Names.PLAIN);
  }

  /**
   * Usual value of {@code settle}: several times what a gateway needs after the loss of its
   * apiserver.
   */
  public static final Duration DEFAULT_SETTLE_TIMEOUT = Duration.ofSeconds(30);
}
