package io.watchgate.cli.doctor;

import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/**
 * Comparison of a server's clock with that of this machine.
 *
 * @param target address of the server
 * @param before time before the request
 * @param after time after the answer
 */
record ClockCheck(String target, Instant before, Instant after) {
  /** The header that is compared has whole seconds. */
  private static final Duration MAX_SKEW = Duration.ofSeconds(5);

  /**
   * Returns the finding; empty if the answer has no time. The time of the server lies between those
   * of the request, unless a clock is wrong.
   *
   * @param date header {@code Date} of the answer
   */
  Optional<Finding> finding(String date) {
    Instant serverTime;
    try {
      serverTime = ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
    Duration skew =
        serverTime.isBefore(before)
            ? Duration.between(serverTime, before)
            : serverTime.isAfter(after) ? Duration.between(after, serverTime) : Duration.ZERO;
    String difference = "differs from this machine's by " + skew.toSeconds() + " s";
    return Optional.of(
        skew.compareTo(MAX_SKEW) <= 0
            ? Finding.ok(target, "clock", difference)
            : Finding.warning(
                target,
                "clock",
                difference,
                "Set the clocks by NTP: tokens and certificates are valid by the clock."));
  }
}
