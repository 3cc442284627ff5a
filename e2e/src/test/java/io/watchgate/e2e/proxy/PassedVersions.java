package io.watchgate.e2e.proxy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Recorder of the versions in watches with their times. Changes nothing. Thread-safe. */
final class PassedVersions implements Damage.Edit {
  private static final int MOST = 10_000;
  private static final Pattern VERSION = Pattern.compile("\"resourceVersion\":\"([0-9]+)\"");

  private final Deque<Passed> passed = new ArrayDeque<>();

  private record Passed(String version, long nanos) {}

  @Override
  public List<String> line(String line) {
    Matcher version = VERSION.matcher(line);
    if (version.find()) {
      synchronized (this) {
        passed.addLast(new Passed(version.group(1), System.nanoTime()));
        if (passed.size() > MOST) {
          passed.removeFirst();
        }
      }
    }
    return List.of(line);
  }

  /** Returns whether a version arrived at least this long ago. */
  synchronized boolean hasBefore(Duration age) {
    return !passed.isEmpty() && isBefore(passed.getFirst(), age);
  }

  /** Returns whether a version arrived since. */
  synchronized boolean hasSince(Duration age) {
    return !passed.isEmpty() && !isBefore(passed.getLast(), age);
  }

  /** Returns the last version that arrived at least this long ago. */
  synchronized String before(Duration age) {
    return passed.reversed().stream()
        .filter(one -> isBefore(one, age))
        .findFirst()
        .map(Passed::version)
        .orElseThrow(() -> new NoSuchElementException("no version is so old"));
  }

  private static boolean isBefore(Passed one, Duration age) {
    return System.nanoTime() - one.nanos >= age.toNanos();
  }
}
