package io.watchgate.client;

import com.google.protobuf.Timestamp;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Times as protobuf carries them, made safe to calculate with. */
final class WireTime {
  /** No server's hint may park a client for longer. */
  private static final long LONGEST_SECONDS = 24 * 60 * 60;

  private WireTime() {}

  /** Clamped to 0 to 24 hours. */
  static Duration duration(com.google.protobuf.Duration wire) {
    if (wire.getSeconds() < 0 || wire.getNanos() < 0) {
      return Duration.ZERO;
    }
    return Duration.ofSeconds(Math.min(wire.getSeconds(), LONGEST_SECONDS), wire.getNanos());
  }

  /** Empty where the time cannot be represented. */
  static Optional<Instant> instant(Timestamp wire) {
    try {
      return Optional.of(Instant.ofEpochSecond(wire.getSeconds(), wire.getNanos()));
    } catch (DateTimeException | ArithmeticException e) {
      return Optional.empty();
    }
  }
}
