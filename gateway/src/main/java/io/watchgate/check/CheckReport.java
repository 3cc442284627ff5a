package io.watchgate.check;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What became of each promise.
 *
 * @param violations the first of them, to be shown
 */
public record CheckReport(Map<Promise, Count> counts, List<Violation> violations) {
  /**
   * How much was judged, and how much of it was broken.
   *
   * @param judged 0: nothing was seen that this promise speaks of, so it was not tested
   */
  public record Count(long judged, long broken) {
    static final Count NONE = new Count(0, 0);

    Count plus(Count other) {
      return new Count(judged + other.judged, broken + other.broken);
    }
  }

  /** Of nothing. */
  public static final CheckReport NONE = new CheckReport(Map.of(), List.of());

  private static final int KEPT = 50;

  public CheckReport {
    counts = Map.copyOf(counts);
    violations = List.copyOf(violations);
  }

  /** Of one promise. */
  public Count of(Promise promise) {
    return counts.getOrDefault(promise, Count.NONE);
  }

  /** Whether no promise was broken. */
  public boolean holds() {
    return counts.values().stream().allMatch(count -> count.broken() == 0);
  }

  /** A line for each promise, then what was broken. */
  public String text() {
    StringBuilder text = new StringBuilder();
    for (Promise promise : Promise.values()) {
      Count count = of(promise);
      text.append("%-15s %s%n".formatted(promise, count.judged() == 0 ? "not seen" : said(count)));
    }
    violations.forEach(one -> text.append("%n%s".formatted(one.report())));
    return text.toString();
  }

  private static String said(Count count) {
    return count.broken() == 0
        ? "held, %,d times".formatted(count.judged())
        : "BROKEN %,d of %,d times".formatted(count.broken(), count.judged());
  }

  /** Of what either is of. */
  public CheckReport plus(CheckReport other) {
    Map<Promise, Count> sum = new EnumMap<>(Promise.class);
    for (Promise promise : Promise.values()) {
      sum.put(promise, of(promise).plus(other.of(promise)));
    }
    return new CheckReport(
        sum, Stream.concat(violations.stream(), other.violations.stream()).limit(KEPT).toList());
  }

  static CheckReport of(List<Findings> all) {
    Map<Promise, Count> counts = new EnumMap<>(Promise.class);
    all.forEach(
        one -> counts.merge(one.promise(), new Count(one.judged(), one.broken()), Count::plus));
    return new CheckReport(
        counts, all.stream().flatMap(one -> one.violations().stream()).limit(KEPT).toList());
  }
}
