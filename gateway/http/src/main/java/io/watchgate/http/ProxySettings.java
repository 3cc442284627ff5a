package io.watchgate.http;

import java.time.Duration;

/**
 * Settings of a caching proxy.
 *
 * @param writes treatment of writes
 * @param maxRelays maximum number of requests that are being relayed; further ones get 429
 * @param maxRelaysPerClient the same for one client address
 * @param loadWait longest wait for the first list of a type; after it the request is relayed
 * @param relaySilence longest time without a byte of a relayed answer that is no watch
 */
public record ProxySettings(
    Writes writes,
    int maxRelays,
    int maxRelaysPerClient,
    Duration loadWait,
    Duration relaySilence) {
  /** Treatment of writes. */
  public enum Writes {
    REFUSED,
    RELAYED
  }

  public static final int DEFAULT_MAX_RELAYS = 2_000;
  public static final int DEFAULT_MAX_RELAYS_PER_CLIENT = 500;

  public static final ProxySettings DEFAULTS =
      new ProxySettings(
          Writes.REFUSED,
          DEFAULT_MAX_RELAYS,
          DEFAULT_MAX_RELAYS_PER_CLIENT,
          /* loadWait= */ Duration.ofSeconds(1),
          // An apiserver ends a request that is no watch after 60 s.
          /* relaySilence= */ Duration.ofSeconds(90));

  public ProxySettings with(Writes others) {
    return new ProxySettings(others, maxRelays, maxRelaysPerClient, loadWait, relaySilence);
  }

  public ProxySettings withRelays(int all, int perClient) {
    return new ProxySettings(writes, all, perClient, loadWait, relaySilence);
  }
}
