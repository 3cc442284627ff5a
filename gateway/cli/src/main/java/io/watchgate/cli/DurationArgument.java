package io.watchgate.cli;

import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Converter for durations in kubectl's syntax, whole numbers with units: {@code 1h30m}, {@code
 * 500ms}.
 */
final class DurationArgument implements ITypeConverter<Duration> {
  private static final int MAX_DIGITS = 9;

  @Override
  public Duration convert(String text) {
    Duration sum = Duration.ZERO;
    int at = 0;
    while (at < text.length()) {
      int digits = at;
      while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
        at++;
      }
      int unit = at;
      while (at < text.length() && text.charAt(at) >= 'a' && text.charAt(at) <= 'z') {
        at++;
      }
      if (unit == digits || unit - digits > MAX_DIGITS) {
        throw invalid(text);
      }
      int number = Integer.parseInt(text.substring(digits, unit));
      sum =
          switch (text.substring(unit, at)) {
            case "ms" -> sum.plusMillis(number);
            case "s" -> sum.plusSeconds(number);
            case "m" -> sum.plusMinutes(number);
            case "h" -> sum.plusHours(number);
            default -> throw invalid(text);
          };
    }
    if (sum.isZero()) {
      throw invalid(text);
    }
    return sum;
  }

  /** Returns the duration in the syntax of the command line. */
  static String text(Duration duration) {
    StringBuilder text = new StringBuilder();
    append(text, duration.toHours(), "h");
    append(text, duration.toMinutesPart(), "m");
    append(text, duration.toSecondsPart(), "s");
    append(text, duration.toMillisPart(), "ms");
    return text.toString();
  }

  private static void append(StringBuilder text, long number, String unit) {
    if (number > 0) {
      text.append(number).append(unit);
    }
  }

  private static TypeConversionException invalid(String text) {
    return new TypeConversionException(
        "'" + text + "' is not a duration above 0, such as 30s, 5m, 1h30m or 500ms");
  }
}
