package io.watchgate.balance;

import java.time.Duration;

/**
 * Settings of balancing; see {@link Balancer}. Values without an option are constants.
 *
 * @param namespace namespace of the Leases in which replicas publish their stream counts
 * @param group name of the replicas among which streams are balanced; the same for all of them
 * @param pace pace of this replica
 */
public record BalanceSettings(String namespace, String group, Pace pace) {

  /**
   * Tolerated deviation of a {@link BalanceDecision}, as a share of the mean: moving streams for
   * less is not worth it.
   */
  static final double TOLERANCE = 0.1;

  /** Minimum tolerated deviation: with few streams, a tenth of the mean is nothing. */
  static final int MIN_TOLERANCE = 4;

  /** Timeout of a request for a Lease, short because the next renewal follows anyway. */
  public static final Duration LEASE_TIMEOUT = Duration.ofSeconds(5);

  /** Validity of a Lease in renewal intervals; two renewals may fail. */
  public static final int INTERVALS_PER_LEASE = 3;

  /**
   * Longest wait for the withdrawal at shutdown. Without it, other replicas notice when the Lease
   * expires.
   */
  public static final Duration WITHDRAWAL_TIMEOUT = Duration.ofSeconds(2);

  /**
   * Speed at which streams may move.
   *
   * @param interval mean interval of a replica's rounds; each round makes two requests, and a
   *     decision uses the counts of three rounds
   * @param minStreamAge minimum age of a stream before it is shed, so that no client is sent from
   *     replica to replica while the replicas even out
   */
  public record Pace(Duration interval, Duration minStreamAge) {
    public static final Pace DEFAULT =
        new Pace(/* interval= */ Duration.ofSeconds(10), /* minStreamAge= */ Duration.ofMinutes(5));

    /**
     * Number of rounds without an update after which a replica does not count: two updates may
     * fail.
     */
    static final int SILENT_ROUNDS = 3;

    /** Number of rounds without an update after which a replica is removed from the registry. */
    static final int REMOVAL_ROUNDS = 60;

    /**
     * Maximum number of rounds between attempts. Each attempt in vain doubles the pause, up to this
     * limit.
     */
    static final int MAX_PAUSE = 64;
  }
}
