package io.watchgate.cli;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Converter for durations above 0 in kubectl's syntax, numbers with units: {@code 1h30m}, {@code
 * 1.5h}, {@code 500ms}. A number alone is seconds.
 */
final class DurationArgument implements ITypeConverter<Duration> {
  private static final int MAX_DIGITS = 9;
  private static final Pattern SECONDS = Pattern.compile("\\d{1,9}(\\.\\d{1,9})?");

  /** Converter that accepts 0 as well. */
  static final class OrZero implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      return SECONDS.matcher(text).matches() || text.matches("0[a-z]+")
          ? parse(text)
          : new DurationArgument().convert(text);
    }
  }

  @Override
  public Duration convert(String text) {
    Duration duration = parse(text);
    if (duration.isZero()) {
      throw invalid(text);
    }
    return duration;
  }

  private static Duration parse(String text) {
    if (SECONDS.matcher(text).matches()) {
      return of(text, Duration.ofSeconds(1));
    }
    Duration sum = Duration.ZERO;
    int at = 0;
    while (at < text.length()) {
      int digits = at;
      while (at < text.length() && (isDigit(text.charAt(at)) || text.charAt(at) == '.')) {
        at++;
      }
      int unit = at;
      while (at < text.length() && text.charAt(at) >= 'a' && text.charAt(at) <= 'z') {
        at++;
      }
      String number = text.substring(digits, unit);
      if (number.length() > MAX_DIGITS || !SECONDS.matcher(number).matches()) {
        throw invalid(text);
      }
      sum =
          switch (text.substring(unit, at)) {
            case "ms" -> sum.plus(of(number, Duration.ofMillis(1)));
            case "s" -> sum.plus(of(number, Duration.ofSeconds(1)));
            case "m" -> sum.plus(of(number, Duration.ofMinutes(1)));
            case "h" -> sum.plus(of(number, Duration.ofHours(1)));
            default -> throw invalid(text);
          };
    }
    if (text.isEmpty()) {
      throw invalid(text);
    }
    return sum;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** Returns the multiple of a unit, to the millisecond. */
  private static Duration of(String number, Duration unit) {
    return Duration.ofMillis(
        new BigDecimal(number).multiply(BigDecimal.valueOf(unit.toMillis())).longValue());
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
        "'"
            + text
            + "' is not a duration above 0, such as 30s, 5m, 1h30m, 1.5h, 500ms or 90 (seconds)");
  }
}
