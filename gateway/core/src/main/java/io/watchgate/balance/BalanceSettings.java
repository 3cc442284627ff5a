package io.watchgate.balance;

import java.time.Duration;

/**
 * Settings of balancing.
 *
 * @param namespace namespace of the Leases in which replicas publish their stream counts
 * @param group name of the replicas among which streams are balanced; the same for all of them
 * @param pace pace of this replica
 */
public record BalanceSettings(String namespace, String group, Pace pace) {
  /**
   * Speed at which streams may move.
   *
   * @param interval mean interval of a replica's rounds; each round makes two requests, and a
   *     decision uses the counts of three rounds
   * @param minStreamAge minimum age of a stream before it is shed, so that no client is sent from
   *     replica to replica while the replicas even out
   */
  public record Pace(Duration interval, Duration minStreamAge) {
    public static final Pace DEFAULT = new Pace(Duration.ofSeconds(10), Duration.ofMinutes(5));
  }
}
