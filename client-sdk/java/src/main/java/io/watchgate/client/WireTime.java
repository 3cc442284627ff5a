package io.watchgate.client;

import com.google.protobuf.Timestamp;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Conversions of protobuf times, limited to ranges that are safe for arithmetic. */
final class WireTime {
  /** Upper bound of a server's hint, so that no server can suspend a client for longer. */
  private static final long LONGEST_SECONDS = 24 * 60 * 60;

  private WireTime() {}

  /** Returns the duration, limited to the range of 0 to 24 hours. */
  static Duration duration(com.google.protobuf.Duration wire) {
    if (wire.getSeconds() < 0 || wire.getNanos() < 0) {
      return Duration.ZERO;
    }
    return Duration.ofSeconds(Math.min(wire.getSeconds(), LONGEST_SECONDS), wire.getNanos());
  }

  /** Returns the time; empty if it is not representable. */
  static Optional<Instant> instant(Timestamp wire) {
    try {
      return Optional.of(Instant.ofEpochSecond(wire.getSeconds(), wire.getNanos()));
    } catch (DateTimeException | ArithmeticException e) {
      return Optional.empty();
    }
  }
}
