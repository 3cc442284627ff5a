package io.watchgate.table;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Duration in two or three significant digits, by kubectl's rules ({@code HumanDuration}). */
final class HumanDuration {
  private HumanDuration() {}

  /** Returns the age of a timestamp. */
  static String since(Optional<Instant> time, Instant now) {
    return time.map(then -> of(Duration.between(then, now))).orElse(CellText.UNKNOWN);
  }

  static String of(Duration duration) {
    long seconds = duration.toMillis() / 1000;
    if (seconds < -1) {
      return "<invalid>";
    }
    if (seconds < 120) {
      return Math.max(seconds, 0) + "s";
    }
    long minutes = seconds / 60;
    if (minutes < 10) {
      return both(minutes, "m", seconds % 60, "s");
    }
    if (minutes < 180) {
      return minutes + "m";
    }
    long hours = minutes / 60;
    if (hours < 8) {
      return both(hours, "h", minutes % 60, "m");
    }
    if (hours < 48) {
      return hours + "h";
    }
    long days = hours / 24;
    if (days < 8) {
      return both(days, "d", hours % 24, "h");
    }
    if (days < 2 * 365) {
      return days + "d";
    }
    long years = days / 365;
    return years < 8 ? both(years, "y", days % 365, "d") : years + "y";
  }

  private static String both(long amount, String unit, long rest, String smallUnit) {
    return amount + unit + (rest == 0 ? "" : rest + smallUnit);
  }
}
