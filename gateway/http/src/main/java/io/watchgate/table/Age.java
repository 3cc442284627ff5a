package io.watchgate.table;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Age of a timestamp as text. */
final class Age {
  static final String UNKNOWN = "<unknown>";

  private Age() {}

  static String since(Optional<Instant> time, Instant now) {
    return time.map(then -> HumanDuration.of(Duration.between(then, now))).orElse(UNKNOWN);
  }
}
