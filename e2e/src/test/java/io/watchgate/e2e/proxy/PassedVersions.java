package io.watchgate.e2e.proxy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Record of the versions that watches passed on, with their times. Thread-safe. */
final class PassedVersions {
  private static final int MOST = 10_000;
  private static final Pattern VERSION = Pattern.compile("\"resourceVersion\":\"([0-9]+)\"");

  private final Deque<Passed> passed = new ArrayDeque<>();

  /** Number of the watch that began last. */
  private int current;

  private record Passed(int watch, String version, long nanos) {
    boolean isBefore(Duration age) {
      return System.nanoTime() - nanos >= age.toNanos();
    }
  }

  /** Begins a watch and returns the edit that records its versions and changes nothing. */
  synchronized Damage.Edit beginWatch() {
    int watch = ++current;
    return line -> {
      Matcher version = VERSION.matcher(line);
      if (version.find()) {
        add(new Passed(watch, version.group(1), System.nanoTime()));
      }
      return List.of(line);
    };
  }

  private synchronized void add(Passed one) {
    passed.addLast(one);
    if (passed.size() > MOST) {
      passed.removeFirst();
    }
  }

  /** Returns the last version that was passed on at least this long ago, by any watch. */
  Optional<String> before(Duration age) {
    return last(age).map(Passed::version);
  }

  /**
   * Returns that version if the last watch passed it on, and a later one at least {@code arrival}
   * ago, so that the gateway is beyond it.
   */
  synchronized Optional<String> before(Duration age, Duration arrival) {
    Optional<Passed> later = last(arrival);
    boolean isBeyond = later.isPresent() && later.get().watch == current;
    return last(age)
        .filter(one -> isBeyond && one.watch == current && !one.equals(later.get()))
        .map(Passed::version);
  }

  private synchronized Optional<Passed> last(Duration age) {
    return passed.reversed().stream().filter(one -> one.isBefore(age)).findFirst();
  }
}
