package io.watchgate.cache;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A state of a type and what led to it: a node of the chain that every reader follows. Immutable
 * but for {@code next}, which is set once, and once more when the node is trimmed; and for the kind
 * of the oldest one, when the past before it was fetched.
 *
 * <p>Whoever holds a node reaches every later one. So that one who holds an old node does not keep
 * all later ones alive, trimming cuts forwards: a trimmed node leads nowhere and has lost its
 * changes. Its state stays, for what is left to do for its holder is to compare.
 */
public final class Revision {
  /** In place of a successor. */
  private enum Cut {
    TRIMMED
  }

  /** What kind of step led from the previous revision to this one. */
  public enum Kind {
    /** Changes in the order of the apiserver. */
    CHANGES,
    /** No change: the apiserver said that there was none up to this version. */
    PROGRESS,
    /** The gateway listed anew: what happened in between is known only by its net effect. */
    RELIST,
    /**
     * The state is of another history, whose versions compare with none before: a restored cluster.
     */
    HISTORY_LOST
  }

  private final long number;
  private final ResourceVersion version;
  private volatile Kind kind;
  private final StateMap state;
  private final StateDigest digest;
  private final ClockReading received;
  private final @Nullable ClockReading provenBefore;
  private final Totals totals;
  private volatile List<Change> changes;
  private volatile @Nullable Object next;

  Revision(
      long number,
      ResourceVersion version,
      Kind kind,
      List<Change> changes,
      StateMap state,
      StateDigest digest,
      ClockReading received,
      @Nullable ClockReading provenBefore,
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
  record Totals(long events, long superseded, int lists, int lostHistories) {
    static final Totals NONE = new Totals(0, 0, 0, 0);

    /** What has to be added to {@code other} to have this. */
    Totals minus(Totals other) {
      return new Totals(
          events - other.events,
          superseded - other.superseded,
          lists - other.lists,
          lostHistories - other.lostHistories);
    }

    Totals plus(Totals more) {
      return new Totals(
          events + more.events,
          superseded + more.superseded,
          lists + more.lists,
          lostHistories + more.lostHistories);
    }

    Totals plus(int moreEvents, long moreSuperseded) {
      return new Totals(events + moreEvents, superseded + moreSuperseded, lists, lostHistories);
    }
  }

  /**
   * How many revisions of this cache came before: tells which of two is the later one. Negative for
   * those that were fetched of the past; no two have the same.
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

  /** The complete state here. */
  public StateMap state() {
    return state;
  }

  public StateDigest digest() {
    return digest;
  }

  /** When the gateway received this, on its wall clock. */
  public Instant receivedAt() {
    return received.wall();
  }

  /** The same on the clock that durations are measured on. */
  public long receivedNanos() {
    return received.nanos();
  }

  /** Changes since the cache began: differences tell how many lie between two revisions. */
  public long events() {
    return totals.events();
  }

  /**
   * Bytes superseded since the cache began. The difference to the head's is what the state here
   * keeps alive beside the head's.
   */
  public long superseded() {
    return totals.superseded();
  }

  /**
   * The last proof for the state before this one ({@link StalenessTracker}), null if there was
   * none: later ones are not of that state.
   */
  @Nullable ClockReading provenBefore() {
    return provenBefore;
  }

  Totals totals() {
    return totals;
  }

  /** Whether versions here and there compare: no {@link Kind#HISTORY_LOST} lies between. */
  public boolean isOfTheHistoryOf(Revision other) {
    return totals.lostHistories() == other.totals.lostHistories();
  }

  /** Whether a list lies between: not every change from there to here is known. */
  public boolean hasGapSince(Revision earlier) {
    return totals.lists() != earlier.totals.lists();
  }

  /**
   * The changes that led here, of a revision of kind CHANGES; empty for the other kinds and once
   * trimmed.
   */
  public List<Change> changes() {
    return changes;
  }

  /** The revision after this one, null while this is the head or when it was trimmed. */
  public @Nullable Revision next() {
    return next instanceof Revision revision ? revision : null;
  }

  /** Whether the way from here to later revisions is cut. */
  public boolean trimmed() {
    return next instanceof Cut;
  }

  /**
   * The same step and state at another place in a chain: among those that lead up to {@code later}.
   */
  Revision moved(long toNumber, Totals shift, Revision later) {
    return new Revision(
        toNumber, version, kind, changes, state, digest, later.received, null, totals.plus(shift));
  }

  /**
   * What led here, the list, is known after all: a state equal to this one, without a gap. A reader
   * that has come here from a revision before has long gone on, since that was trimmed.
   */
  void hasPast() {
    kind = Kind.PROGRESS;
  }

  void append(Revision revision) {
    next = revision;
  }

  void trim() {
    next = Cut.TRIMMED;
    changes = List.of();
  }

  @Override
  public String toString() {
    return kind + " " + version;
  }
}
