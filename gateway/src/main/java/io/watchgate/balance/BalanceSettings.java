package io.watchgate.balance;

import java.time.Duration;

/**
 * With which other replicas streams are balanced, and how.
 *
 * @param namespace in which they say how many they have
 * @param group the same for all of them
 * @param pace of this replica
 */
public record BalanceSettings(String namespace, String group, Pace pace) {
  /**
   * How fast streams may move.
   *
   * @param every about how often a replica looks; it makes two requests each time, and acts on what
   *     it sees after three
   * @param settled how long a stream is left where it is once it has come there, so that nobody is
   *     sent from one to the next while replicas even out
   */
  public record Pace(Duration every, Duration settled) {
    public static final Pace USUAL = new Pace(Duration.ofSeconds(10), Duration.ofMinutes(5));
  }
}
