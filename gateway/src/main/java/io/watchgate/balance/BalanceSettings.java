package io.watchgate.balance;

import java.time.Duration;

/**
 * With which other replicas streams are balanced.
 *
 * @param namespace in which they say how many they have
 * @param group the same for all of them
 * @param every about how often they look
 */
public record BalanceSettings(String namespace, String group, Duration every) {
  /** Two requests of each replica in that time; it takes about three such to notice another one. */
  public static final Duration USUAL = Duration.ofSeconds(10);
}
