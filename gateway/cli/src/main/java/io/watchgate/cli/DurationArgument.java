package io.watchgate.cli;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
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
      return parse(text).orElseThrow(() -> invalid(text, "a duration of 0 or more, such as 0,"));
    }
  }

  @Override
  public Duration convert(String text) {
    return parse(text)
        .filter(Duration::isPositive)
        .orElseThrow(() -> invalid(text, "a duration above 0, such as"));
  }

  /** Returns the duration; empty if the text is none. */
  private static Optional<Duration> parse(String text) {
    if (SECONDS.matcher(text).matches()) {
      return Optional.of(of(text, Duration.ofSeconds(1)));
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
        return Optional.empty();
      }
      Optional<Duration> part = unit(text.substring(unit, at)).map(one -> of(number, one));
      if (part.isEmpty()) {
        return Optional.empty();
      }
      sum = sum.plus(part.get());
    }
    return Optional.of(sum).filter(_ -> !text.isEmpty());
  }

  private static Optional<Duration> unit(String text) {
    return switch (text) {
      case "ms" -> Optional.of(Duration.ofMillis(1));
      case "s" -> Optional.of(Duration.ofSeconds(1));
      case "m" -> Optional.of(Duration.ofMinutes(1));
      case "h" -> Optional.of(Duration.ofHours(1));
      default -> Optional.empty();
    };
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

  private static TypeConversionException invalid(String text, String expected) {
    return new TypeConversionException(
        "'" + text + "' is not " + expected + " 30s, 5m, 1h30m, 1.5h, 500ms or 90 (seconds)");
  }
}
