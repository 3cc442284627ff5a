package io.watchgate.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Proofs that the state of a type is the apiserver's, each as of a moment, and the age of the state
 * that follows from them. Only an answer from the apiserver is a proof: a list, a version that the
 * state has reached ({@link PeriodicProbe}), or a comparison ({@link FreshnessProof}). It holds as
 * of the moment of the request. Events of a watch are no proof: a slow link, a busy machine or a
 * stopped process may delay them by any time, and an event does not contain its delay. Thread-safe.
 *
 * <p>Rejected: to accept bookmarks and events as proof at their arrival, and to detect pauses of
 * the process. That costs no request. But on two busy cores a change arrived four seconds late,
 * after a bookmark that had claimed the contrary.
 */
public final class StateProofs {
  /**
   * Maximum number of pending answers. On a quiet type the state reaches their versions with the
   * next bookmark, a minute later; for {@code events}, which have no bookmarks, with the next
   * change.
   */
  static final int MAX_PENDING = 16;

  private final TimeSource time;
  private final TimeSource.Reading since;
  private final Supplier<@Nullable Revision> head;

  /** Pending answers in order of arrival. Guarded by this. */
  private final List<Answer> pendingAnswers = new ArrayList<>();

  /** The lowest pending version, null if there is none: the only field that the writer reads. */
  private volatile @Nullable ResourceVersion lowest;

  private volatile TimeSource.@Nullable Reading proven;

  /** Proof of one revision by comparison; null if there is none. */
  private volatile @Nullable EqualState equalState;

  /** True if answers stay pending although the state has their version. Guarded by this. */
  private boolean inDoubt;

  /**
   * Time of the last doubt about the history, or of its end. An answer to an earlier request may
   * belong to another timeline than the state. Guarded by this.
   */
  private TimeSource.Reading lastDoubt;

  /**
   * Answer of the apiserver: at the moment {@code requestedAt}, nothing had happened after {@code
   * version}.
   */
  private record Answer(ResourceVersion version, TimeSource.Reading requestedAt) {}

  /**
   * Proof that the state of the revision {@code number}, and perhaps of no other, was the
   * apiserver's state at {@code version}. It has no revision, which would pin its state.
   *
   * @param version null once it may be a version of another timeline; the time stays true
   */
  private record EqualState(
      long number, @Nullable ResourceVersion version, TimeSource.Reading requestedAt) {}

  /**
   * @param head source of the newest revision, from any thread
   */
  StateProofs(TimeSource time, Supplier<@Nullable Revision> head) {
    this.time = time;
    this.head = head;
    this.since = time.reading();
    this.lastDoubt = since;
  }

  /**
   * Records that the apiserver had reached {@code version} when it was asked. Once the state has
   * reached it, too, the state is proven as of then.
   *
   * @param requestedAt time of the request
   */
  synchronized void recordAnswer(ResourceVersion version, TimeSource.Reading requestedAt) {
    if (isBeforeDoubt(requestedAt)) {
      return;
    }
    // Of two answers with one version the later one proves more and replaces the earlier one.
    pendingAnswers.removeIf(
        answer ->
            answer.version.equals(version)
                && answer.requestedAt.nanos() - requestedAt.nanos() <= 0);
    if (pendingAnswers.size() == MAX_PENDING) {
      // Removes every second answer instead of the oldest: a state that is far behind still reaches
      // some.
      for (int i = MAX_PENDING - 2; i >= 0; i -= 2) {
        pendingAnswers.remove(i);
      }
    }
    pendingAnswers.add(new Answer(version, requestedAt));
    updateLowest();
    // After the answer was added, so that either this call or the writer sees the other; under the
    // lock, so that no head of a lost timeline is used after its end.
    Revision now = head.get();
    if (now != null) {
      recordVersion(now.version());
    }
  }

  /**
   * Records that the cluster may have another timeline. Answers that are not resolved are dropped;
   * what was proven before stays proven. New answers prove nothing until {@link #markTrusted} or a
   * list.
   */
  synchronized void markInDoubt() {
    pendingAnswers.clear();
    lowest = null;
    EqualState equal = equalState;
    if (equal != null) {
      equalState = new EqualState(equal.number, null, equal.requestedAt);
    }
    inDoubt = true;
    lastDoubt = time.reading();
  }

  private boolean isBeforeDoubt(TimeSource.Reading requestedAt) {
    return requestedAt.nanos() - lastDoubt.nanos() < 0;
  }

  /**
   * Returns whether the state is known to be of the same timeline as every answer requested at or
   * after {@code requestedAt}.
   */
  synchronized boolean isTrustedSince(TimeSource.Reading requestedAt) {
    return !inDoubt && !isBeforeDoubt(requestedAt);
  }

  /** Records that the state at {@code version} belongs to the history of the answers. */
  synchronized void markTrusted(ResourceVersion version) {
    inDoubt = false;
    updateLowest();
    recordVersion(version);
  }

  /**
   * Records that the state has reached {@code version}. Called for each change, so it reads one
   * field only.
   */
  void recordVersion(ResourceVersion version) {
    ResourceVersion first = lowest;
    if (first != null && !first.isAfter(version)) {
      resolveAnswers(version);
    }
  }

  private synchronized void resolveAnswers(ResourceVersion version) {
    for (Answer answer : pendingAnswers) {
      if (!answer.version.isAfter(version)) {
        markProven(answer.requestedAt);
      }
    }
    pendingAnswers.removeIf(answer -> !answer.version.isAfter(version));
    updateLowest();
  }

  private void updateLowest() {
    lowest =
        inDoubt
            ? null
            : pendingAnswers.stream()
                .map(Answer::version)
                .min(ResourceVersion::compareTo)
                .orElse(null);
  }

  /**
   * Records that the state was complete at that moment. Earlier answers are dropped, because they
   * may belong to another timeline.
   */
  synchronized void markUpToDate(TimeSource.Reading asOf) {
    pendingAnswers.clear();
    lowest = null;
    inDoubt = false;
    markProven(asOf);
  }

  /**
   * Like {@link #markUpToDate}, but also drops earlier proofs, which belong to another timeline.
   */
  synchronized void resetTo(TimeSource.Reading asOf) {
    proven = null;
    equalState = null;
    lastDoubt = time.reading();
    markUpToDate(asOf);
  }

  private void markProven(TimeSource.Reading asOf) {
    TimeSource.Reading last = proven;
    if (last == null || asOf.nanos() - last.nanos() > 0) {
      proven = asOf;
    }
  }

  /**
   * Records that the state of the revision {@code number} was the apiserver's state at {@code
   * version}, and returns true; false if it may belong to another timeline.
   *
   * @param requestedAt time before which the apiserver's answer was not made
   */
  synchronized boolean recordEqual(
      long number, ResourceVersion version, TimeSource.Reading requestedAt) {
    if (!isTrustedSince(requestedAt)) {
      return false;
    }
    EqualState last = equalState;
    if (last == null
        || last.number != number
        || requestedAt.nanos() - last.requestedAt.nanos() > 0) {
      equalState = new EqualState(number, version, requestedAt);
    }
    return true;
  }

  /**
   * Returns the version at which the state of the revision {@code number} was proven to be the
   * apiserver's; null if there is none.
   */
  @Nullable ResourceVersion equalVersion(long number) {
    EqualState equal = equalState;
    return equal != null && equal.number == number ? equal.version : null;
  }

  /**
   * Returns the time of the last proof that the state was up to date; null if there was none. The
   * proof covers the head at the time of the call and all later heads, so call this method before
   * {@link WatchCache#head()}. Proofs of single revisions are in {@link #provenEqual}.
   */
  public TimeSource.@Nullable Reading provenByVersion() {
    return proven;
  }

  /**
   * Returns the time of the last proof of the revision with this number, which holds for no later
   * one; null if there was none.
   */
  public TimeSource.@Nullable Reading provenEqual(long number) {
    EqualState equal = equalState;
    return equal == null || equal.number != number ? null : equal.requestedAt;
  }

  /**
   * Returns whether the state of the head is that of {@code version} or later: the head has that
   * version, or was proven equal to the apiserver's state at it.
   */
  public boolean hasReached(ResourceVersion version) {
    Revision newest = head.get();
    return newest != null && !version.isAfter(latestVersion(newest));
  }

  /**
   * Returns a version from {@code minimum} on at which the apiserver's state equals the revision:
   * the revision's own, else a later one that was proven; null if none is known.
   *
   * @param minimum null for any
   */
  public @Nullable ResourceVersion versionNotBefore(
      Revision revision, @Nullable ResourceVersion minimum) {
    if (minimum == null || !minimum.isAfter(revision.version())) {
      return revision.version();
    }
    ResourceVersion latest = latestVersion(revision);
    return minimum.isAfter(latest) ? null : latest;
  }

  /**
   * Returns the latest version at which the apiserver's state is known to be that of the revision:
   * the revision's own, or a later one at which they were proven equal. Once another revision has
   * been proven, it is the revision's own again, because only the last proof is kept.
   */
  public ResourceVersion latestVersion(Revision revision) {
    ResourceVersion equal = equalVersion(revision.number());
    return equal == null || revision.version().isAfter(equal) ? revision.version() : equal;
  }

  /**
   * Returns the nanoseconds since the apiserver last proved the head up to date; since the creation
   * of the cache if it never did.
   */
  public long stalenessNanos() {
    return nanosSince(proven());
  }

  /**
   * Returns the nanoseconds since the apiserver last proved the state at {@code revision} up to
   * date; an upper bound if that is not known any more.
   */
  public long stalenessNanos(Revision revision) {
    TimeSource.Reading last =
        proven(revision.number()); // read before the next revision, whose proof may be later
    Revision next = revision.next();
    if (next == null && !revision.isTrimmed()) {
      return nanosSince(last);
    }
    return nanosSince((next == null ? revision : next).provenBefore());
  }

  /** Returns the last proof of the head; null if there was none. */
  TimeSource.@Nullable Reading proven() {
    Revision newest = head.get();
    return proven(newest == null ? -1 : newest.number());
  }

  /** Returns the last proof of the revision {@code number} as the head, null if there was none. */
  TimeSource.@Nullable Reading proven(long number) {
    return TimeSource.Reading.later(proven, provenEqual(number));
  }

  /**
   * Returns the nanoseconds since a proof; without a proof, since the beginning. Uses the clock
   * with the larger result: the monotonic clock stops while a machine sleeps.
   */
  long nanosSince(TimeSource.@Nullable Reading proof) {
    TimeSource.Reading from = proof == null ? since : proof;
    long wall = Duration.between(from.wall(), time.now()).toNanos();
    return Math.max(0, Math.max(wall, time.nanoTime() - from.nanos()));
  }
}
