package io.watchgate.cli;

import io.watchgate.cli.live.StalenessThreshold;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Messages on stderr about a state that the apiserver has not confirmed recently: one when
 * staleness begins, one when it ends. Thread-safe.
 *
 * <p>Age alone is reported above the {@link StalenessThreshold} of the type. If the gateway reports
 * that it cannot reach its apiserver, staleness is reported earlier.
 */
final class StalenessNotice {
  /** Age of a list or snapshot above which the gateway is asked for an upstream failure. */
  private static final Duration SUSPECT = Duration.ofSeconds(15);

  /**
   * Age at a bookmark above which the gateway is asked for an upstream failure, and up to which a
   * stale state has recovered.
   */
  private static final Duration SUSPECT_BOOKMARK = Duration.ofMinutes(1);

  private final StalenessThreshold threshold;
  private final ReconnectReporter reporter;
  private final Supplier<String> upstream;

  /** True from the message of staleness to the message of recovery. Guarded by this. */
  private boolean isReported;

  /** The last received age. Guarded by this. */
  private Duration lastAge = Duration.ZERO;

  /**
   * Creates a notice without a state.
   *
   * @param upstream returns the failure that keeps the gateway from the apiserver, or an empty text
   *     if none is known; may block
   */
  StalenessNotice(
      StalenessThreshold threshold, ReconnectReporter reporter, Supplier<String> upstream) {
    this.threshold = threshold;
    this.reporter = reporter;
    this.upstream = upstream;
  }

  /**
   * Reports a list's age if it is stale. Blocks until the gateway has answered.
   *
   * @return failure that keeps the gateway from the apiserver; empty if none is known
   */
  String checkList(Duration age) {
    String failure = age.compareTo(SUSPECT) > 0 ? upstream.get() : "";
    if (!failure.isEmpty() || threshold.isStale(age)) {
      reporter.report(text(age, failure));
    }
    return failure;
  }

  /** Checks the age of a snapshot. Does not block. */
  void checkSnapshot(Duration age) {
    checkAge(age, SUSPECT);
  }

  /** Checks the age of the state at a bookmark. Does not block. */
  void checkBookmark(Duration age) {
    checkAge(age, SUSPECT_BOOKMARK);
  }

  private synchronized void checkAge(Duration age, Duration suspect) {
    boolean isConfirmed = age.compareTo(lastAge) < 0; // otherwise the age only grows
    lastAge = age;
    if (isReported) {
      if (isConfirmed && age.compareTo(SUSPECT_BOOKMARK) <= 0) {
        reporter.report(
            "no longer stale: the apiserver confirmed the state " + age.toSeconds() + " s ago");
        isReported = false;
      }
    } else if (age.compareTo(suspect) > 0) {
      // The caller delivers updates and must not block.
      Thread.ofVirtual().name("staleness").start(() -> reportIfStale(age));
    }
  }

  private void reportIfStale(Duration age) {
    String failure = upstream.get();
    synchronized (this) {
      boolean confirmedMeanwhile = lastAge.compareTo(age) < 0;
      if (!isReported && !confirmedMeanwhile && (!failure.isEmpty() || threshold.isStale(age))) {
        isReported = true;
        reporter.report(text(age, failure));
      }
    }
  }

  private static String text(Duration age, String failure) {
    return StalenessThreshold.text(age)
        + (failure.isEmpty() ? "" : "; the gateway cannot ask it now: " + failure);
  }
}
