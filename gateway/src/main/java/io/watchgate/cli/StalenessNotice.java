package io.watchgate.cli;

import io.watchgate.cli.live.LiveTable;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * The lines on stderr about a state that the apiserver has not confirmed lately: one when that
 * begins, one when it is over. Thread-safe.
 *
 * <p>An apiserver confirms a type that changes within seconds, and one without changes about once a
 * minute. So an age alone is reported from a minute on where it is seen once, and from 90 s on
 * where it is seen again and again. A gateway that cannot reach its apiserver says so, and is
 * reported earlier.
 */
final class StalenessNotice {
  /** The age from which a single answer is called stale. */
  static final Duration LIMIT = Duration.ofMinutes(1);

  /** The age from which the gateway is asked for a failure. */
  static final Duration SUSPECT = Duration.ofSeconds(15);

  private static final Duration LIMIT_OF_BOOKMARKS = Duration.ofSeconds(90);

  private final ReconnectReporter narrator;
  private final Supplier<String> upstream;

  /** True from the report of a stale state to that of its recovery. Guarded by this. */
  private boolean isReported;

  /** The last age that was heard. Guarded by this. */
  private Duration newest = Duration.ZERO;

  /**
   * A notice about nothing yet.
   *
   * @param upstream what keeps the gateway from the apiserver, empty if nothing is known to; may
   *     wait for an answer
   */
  StalenessNotice(ReconnectReporter narrator, Supplier<String> upstream) {
    this.narrator = narrator;
    this.upstream = upstream;
  }

  /**
   * The age of a list, reported if need be. Waits for the gateway's answer.
   *
   * @return what keeps the gateway from the apiserver; empty if nothing is known to
   */
  String ofList(Duration age) {
    String trouble = age.compareTo(SUSPECT) > 0 ? upstream.get() : "";
    if (!trouble.isEmpty() || age.compareTo(LIMIT) > 0) {
      narrator.say(text(age, trouble));
    }
    return trouble;
  }

  /** The age of a snapshot. Does not wait. */
  void ofSnapshot(Duration age) {
    heard(age, SUSPECT, LIMIT);
  }

  /** The age of the state at a bookmark. Does not wait. */
  void ofBookmark(Duration age) {
    heard(age, LIMIT, LIMIT_OF_BOOKMARKS);
  }

  private synchronized void heard(Duration age, Duration suspect, Duration limit) {
    boolean isConfirmed = age.compareTo(newest) < 0; // else the age only grows
    newest = age;
    if (isReported) {
      if (isConfirmed && age.compareTo(LIMIT) <= 0) {
        narrator.say(
            "no longer stale: the apiserver confirmed the state " + age.toSeconds() + " s ago");
        isReported = false;
      }
    } else if (age.compareTo(suspect) > 0) {
      // The caller delivers updates; it must not wait for an answer.
      Thread.ofVirtual().name("staleness").start(() -> examine(age, limit));
    }
  }

  private void examine(Duration age, Duration limit) {
    String trouble = upstream.get();
    synchronized (this) {
      boolean confirmedMeanwhile = newest.compareTo(age) < 0;
      if (!isReported && !confirmedMeanwhile && (!trouble.isEmpty() || age.compareTo(limit) > 0)) {
        isReported = true;
        narrator.say(text(age, trouble));
      }
    }
  }

  private static String text(Duration age, String trouble) {
    return LiveTable.stale(age)
        + (trouble.isEmpty() ? "" : "; the gateway cannot ask it now: " + trouble);
  }
}
