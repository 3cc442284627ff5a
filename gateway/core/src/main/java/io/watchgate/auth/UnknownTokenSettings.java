package io.watchgate.auth;

import java.time.Duration;

/** Rate limit of tokens that have to be sent to TokenReview, per client address. */
final class UnknownTokenSettings {
  static final int BURST = 100;
  static final double PER_SECOND = 10;

  /** Above it the addresses used least are forgotten. */
  static final int MAX_ADDRESSES = 10_000;

  /** Time after which an address is forgotten; its burst is full again by then. */
  static final Duration IDLE = Duration.ofMinutes(1);

  private UnknownTokenSettings() {}
}
