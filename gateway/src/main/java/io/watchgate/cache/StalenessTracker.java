package io.watchgate.cache;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * As of when a state is known to hold all that had happened. Only what the apiserver was asked for
 * tells: a list, or its version ({@link PeriodicProbe}), and then as of the moment of asking, once
 * the state has come to that version. What a watch brings proves nothing by itself, however new it
 * looks: a slow link, a machine without processor time, or a process that was stopped delays it by
 * any time, and nothing in it says so. Thread-safe.
 *
 * <p>Rejected: to take bookmarks and events for proof as of their arrival, and to look for pauses
 * of the process. It costs no request; but on two busy cores a change came four seconds late, and
 * the bookmark before it had claimed the contrary.
 */
final class StalenessTracker {
  /**
   * So many answers wait at most. On a quiet type the state comes to them with the next bookmark, a
   * minute later; of {@code events}, which have none, with the next change.
   */
  static final int MOST_WAITING = 16;

  private final TimeSource time;
  private final ClockReading since;

  /** In the order in which they came. Guarded by this. */
  private final List<Answer> waiting = new ArrayList<>();

  /** The lowest version that is waited for, null if none: all that the writer looks at. */
  private volatile @Nullable ResourceVersion lowest;

  private volatile @Nullable ClockReading proven;

  /** Whether answers wait although the state has their version. Guarded by this. */
  private boolean inDoubt;

  /** All that had happened when it was asked for lies at or before {@code version}. */
  private record Answer(ResourceVersion version, ClockReading asked) {}

  StalenessTracker(TimeSource time) {
    this.time = time;
    this.since = ClockReading.now(time);
  }

  /**
   * The apiserver had come to {@code version}. Proves nothing until the state has, too.
   *
   * @param asked when it was asked
   * @param head where the state is. It is looked up after the answer waits, so that either this or
   *     the writer sees the other; and under the lock, so that no head of a lost history is taken
   *     for what came after it
   */
  synchronized void answered(
      ResourceVersion version, ClockReading asked, Supplier<@Nullable Revision> head) {
    // Of two answers with one version the later one proves more, and takes no second place.
    waiting.removeIf(
        answer -> answer.version.equals(version) && answer.asked.nanos() - asked.nanos() <= 0);
    if (waiting.size() == MOST_WAITING) {
      // Every second one, not the oldest: a state that is far behind comes to some of them yet.
      for (int i = MOST_WAITING - 2; i >= 0; i -= 2) {
        waiting.remove(i);
      }
    }
    waiting.add(new Answer(version, asked));
    findLowest();
    Revision now = head.get();
    if (now != null) {
      reached(now.version());
    }
  }

  /**
   * The cluster may have another history from now on. What was answered before is of no interest
   * any more; what is answered now proves nothing until {@link #trusted} or a list.
   */
  synchronized void doubt() {
    waiting.clear();
    lowest = null;
    inDoubt = true;
  }

  /** The state at {@code version} is of the history that answers are of. */
  synchronized void trusted(ResourceVersion version) {
    inDoubt = false;
    findLowest();
    reached(version);
  }

  /** The state has come to {@code version}. Called for each change, so it costs a look. */
  void reached(ResourceVersion version) {
    ResourceVersion first = lowest;
    if (first != null && !first.isAfter(version)) {
      settle(version);
    }
  }

  private synchronized void settle(ResourceVersion version) {
    for (Answer answer : waiting) {
      if (!answer.version.isAfter(version)) {
        proven(answer.asked);
      }
    }
    waiting.removeIf(answer -> !answer.version.isAfter(version));
    findLowest();
  }

  private void findLowest() {
    lowest =
        inDoubt
            ? null
            : waiting.stream().map(Answer::version).min(ResourceVersion::compareTo).orElse(null);
  }

  /**
   * The state is all that there was then. What was answered before is of no interest any more, and
   * may be of another history.
   */
  synchronized void upToDate(ClockReading asOf) {
    waiting.clear();
    lowest = null;
    inDoubt = false;
    proven(asOf);
  }

  /** The same, and what was proven before is of another history. */
  synchronized void beginsAnew(ClockReading asOf) {
    proven = null;
    upToDate(asOf);
  }

  private void proven(ClockReading asOf) {
    ClockReading last = proven;
    if (last == null || asOf.nanos() - last.nanos() > 0) {
      proven = asOf;
    }
  }

  /** The last proof, null if there was none. */
  @Nullable ClockReading proven() {
    return proven;
  }

  /**
   * Nanoseconds since a proof; without one, since the beginning. By the clock that says more: while
   * a machine sleeps, the monotonic one stands still.
   */
  long nanosSince(@Nullable ClockReading proof) {
    ClockReading from = proof == null ? since : proof;
    long wall = Duration.between(from.wall(), time.now()).toNanos();
    return Math.max(0, Math.max(wall, time.nanoTime() - from.nanos()));
  }

  /** When the last proof was, null if there was none. */
  @Nullable Instant verifiedAt() {
    ClockReading last = proven;
    return last == null ? null : last.wall();
  }
}
