package io.watchgate.cache;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One state of a type and the changes that led to it: a node of the chain that every reader
 * follows. Its state, version and digest never change. {@code next} is set once; a trim removes it
 * and the changes. The kind of the oldest revision changes when history before it is backfilled.
 *
 * <p>A reference to a node keeps every later node reachable. So that a reader with an old node does
 * not pin all later nodes, trimming removes the forward link: a trimmed node has no next node and
 * no changes. Its state stays, because its reader can still compare with it.
 */
public final class Revision {
  /** Marker instead of a successor. */
  private enum Successor {
    TRIMMED
  }

  /** Kind of the transition from the previous revision to this one. */
  public enum Kind {
    /** Changes in the order of the apiserver. */
    CHANGES,
    /** No change: the apiserver said that there was none up to this version. */
    PROGRESS,
    /** The gateway listed again: only the net effect of the changes in between is known. */
    RELIST,
    /**
     * The state belongs to another timeline, whose versions do not compare with earlier ones: a
     * restored cluster.
     */
    HISTORY_LOST
  }

  private final long number;
  private final ResourceVersion version;
  private volatile Kind kind;
  private final StateMap state;
  private final StateDigest digest;
  private final TimeSource.Reading received;
  private final TimeSource.@Nullable Reading provenBefore;
  private final Totals totals;
  private volatile List<Change> changes;
  private volatile @Nullable Object next;

  /**
   * The parameters are the fields. They are not grouped: a group would be one more object for each
   * revision that a history keeps.
   */
  Revision(
      long number,
      ResourceVersion version,
      Kind kind,
      List<Change> changes,
      StateMap state,
      StateDigest digest,
      TimeSource.Reading received,
      TimeSource.@Nullable Reading provenBefore,
      Totals totals) {
    this.number = number;
    this.version = version;
    this.kind = kind;
    this.changes = changes;
    this.state = state;
    this.digest = digest;
    this.received = received;
    this.provenBefore = provenBefore;
    this.totals = totals;
  }

  /** Sums since the cache began, this revision included. */
  record Totals(long events, long supersededBytes, int lists, int lostHistories) {
    static final Totals NONE = new Totals(0, 0, 0, 0);

    /** Returns the difference to add to {@code other} to get these totals. */
    Totals minus(Totals other) {
      return new Totals(
          events - other.events,
          supersededBytes - other.supersededBytes,
          lists - other.lists,
          lostHistories - other.lostHistories);
    }

    Totals plus(Totals more) {
      return new Totals(
          events + more.events,
          supersededBytes + more.supersededBytes,
          lists + more.lists,
          lostHistories + more.lostHistories);
    }

    Totals plus(int moreEvents, long moreSuperseded) {
      return new Totals(
          events + moreEvents, supersededBytes + moreSuperseded, lists, lostHistories);
    }
  }

  /**
   * Returns the number of this revision, by which revisions are ordered: the count of earlier
   * revisions of this cache. Negative for backfilled revisions; unique.
   */
  public long number() {
    return number;
  }

  public boolean isBefore(Revision other) {
    return number < other.number;
  }

  public ResourceVersion version() {
    return version;
  }

  public Kind kind() {
    return kind;
  }

  /** Returns the complete state of this revision. */
  public StateMap state() {
    return state;
  }

  public StateDigest digest() {
    return digest;
  }

  /** Returns the wall clock time at which the gateway received this revision. */
  public Instant receivedAt() {
    return received.wall();
  }

  /** Returns the monotonic time at which the gateway received this revision. */
  public long receivedNanos() {
    return received.nanos();
  }

  /**
   * Returns the number of changes since the cache began; a difference of two values is the number
   * of changes between the revisions.
   */
  public long events() {
    return totals.events();
  }

  /**
   * Returns the bytes superseded since the cache began. The difference to the head's value is the
   * memory that this state keeps reachable beside the head's state.
   */
  public long supersededBytes() {
    return totals.supersededBytes();
  }

  /**
   * Returns the last proof for the state before this one ({@link StateProofs}), null if there was
   * none. Later proofs do not apply to that state.
   */
  TimeSource.@Nullable Reading provenBefore() {
    return provenBefore;
  }

  Totals totals() {
    return totals;
  }

  /**
   * Returns whether versions of both revisions compare: no {@link Kind#HISTORY_LOST} lies between.
   */
  public boolean isSameHistoryAs(Revision other) {
    return totals.lostHistories() == other.totals.lostHistories();
  }

  /** Returns whether a list lies between: then not every change since {@code earlier} is known. */
  public boolean hasGapSince(Revision earlier) {
    return totals.lists() != earlier.totals.lists();
  }

  /**
   * Returns the changes that led to this revision, if it is of kind CHANGES; empty for the other
   * kinds and after trimming.
   */
  public List<Change> changes() {
    return changes;
  }

  /** Returns whether deletes led here, after which others of the same version may follow. */
  boolean isOfDeletes() {
    return kind == Kind.CHANGES && WatchApplier.areDeletes(changes);
  }

  /** Returns the next revision; null if this is the head or was trimmed. */
  public @Nullable Revision next() {
    return next instanceof Revision revision ? revision : null;
  }

  /** Returns whether the link to later revisions was removed. */
  public boolean isTrimmed() {
    return next instanceof Successor;
  }

  /** Returns a copy with another number, in the chain that leads up to {@code later}. */
  Revision renumbered(long toNumber, Totals shift, Revision later) {
    return new Revision(
        toNumber, version, kind, changes, state, digest, later.received, null, totals.plus(shift));
  }

  /**
   * Records that the history before the list that led here is known now: a state equal to this one,
   * without a gap. No reader is at an earlier revision any more, because those were trimmed.
   */
  void markBackfilled() {
    kind = Kind.PROGRESS;
  }

  void append(Revision revision) {
    next = revision;
  }

  void trim() {
    next = Successor.TRIMMED;
    changes = List.of();
  }

  @Override
  public String toString() {
    return kind + " " + version;
  }
}
