package io.watchgate.check;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Result of the checks: counts by promise, and violations.
 *
 * @param violations the first violations, for display
 */
public record CheckReport(Map<Promise, Count> counts, List<Violation> violations) {
  /**
   * Number of expectations that were checked, and of those that were broken.
   *
   * @param judged 0: the promise was not tested, because nothing that it covers was recorded
   */
  public record Count(long judged, long broken) {
    static final Count NONE = new Count(0, 0);

    Count plus(Count other) {
      return new Count(judged + other.judged, broken + other.broken);
    }
  }

  /** An empty report. */
  public static final CheckReport NONE = new CheckReport(Map.of(), List.of());

  private static final int MAX_VIOLATIONS = 50;

  public CheckReport {
    counts = Map.copyOf(counts);
    violations = List.copyOf(violations);
  }

  /** Returns the counts of a promise. */
  public Count of(Promise promise) {
    return counts.getOrDefault(promise, Count.NONE);
  }

  /** Returns whether no promise was broken. */
  public boolean holds() {
    return counts.values().stream().allMatch(count -> count.broken() == 0);
  }

  /** Returns one line per promise, with its meaning, followed by the violations. */
  public String text() {
    StringBuilder text = new StringBuilder();
    for (Promise promise : Promise.values()) {
      Count count = of(promise);
      text.append(
          "%-15s %-22s %s%n"
              .formatted(
                  promise, count.judged() == 0 ? "not seen" : countText(count), promise.text()));
    }
    violations.forEach(one -> text.append("%n%s".formatted(one.report())));
    return text.toString();
  }

  private static String countText(Count count) {
    return count.broken() == 0
        ? "held, %,d times".formatted(count.judged())
        : "BROKEN %,d of %,d times".formatted(count.broken(), count.judged());
  }

  /** Returns the sum of both reports. */
  public CheckReport plus(CheckReport other) {
    Map<Promise, Count> sum = new EnumMap<>(Promise.class);
    for (Promise promise : Promise.values()) {
      sum.put(promise, of(promise).plus(other.of(promise)));
    }
    return new CheckReport(
        sum,
        Stream.concat(violations.stream(), other.violations.stream())
            .limit(MAX_VIOLATIONS)
            .toList());
  }

  static CheckReport of(List<Findings> all) {
    Map<Promise, Count> counts = new EnumMap<>(Promise.class);
    all.forEach(
        one -> counts.merge(one.promise(), new Count(one.judged(), one.broken()), Count::plus));
    return new CheckReport(
        counts,
        all.stream().flatMap(one -> one.violations().stream()).limit(MAX_VIOLATIONS).toList());
  }
}
