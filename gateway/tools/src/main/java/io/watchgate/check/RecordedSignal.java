package io.watchgate.check;

import java.time.Instant;
import java.util.Optional;

/** Signal of a response. */
public sealed interface RecordedSignal {
  /** Signals without further data. */
  enum Plain implements RecordedSignal {
    NONE,
    RESUMED,
    GOING_AWAY
  }

  /**
   * Opening, the first signal of a stream.
   *
   * @param history history ID; empty: not known yet
   */
  record Opened(String history) implements RecordedSignal {
    @Override
    public String toString() {
      return "opened";
    }
  }

  /** Start of a snapshot. */
  record SnapshotStarted(Reason reason, String history) implements RecordedSignal {
    /** Reason of a snapshot. */
    public enum Reason {
      REQUESTED,
      POSITION_EXPIRED,
      HISTORY_LOST,
      TYPE_CHANGED;

      /** Returns whether later positions cannot be compared with earlier ones. */
      boolean startsAnotherHistory() {
        return this == HISTORY_LOST || this == TYPE_CHANGED;
      }
    }

    @Override
    public String toString() {
      return "snapshot started, " + reason;
    }
  }

  /**
   * End of a snapshot.
   *
   * @param objects number of objects that the subscriber now holds, according to the gateway
   */
  record Synced(long objects) implements RecordedSignal {
    @Override
    public String toString() {
      return "synced, %,d objects".formatted(objects);
    }
  }

  /**
   * A position without changes.
   *
   * @param verifiedAt time at which the apiserver last confirmed the position as current, according
   *     to the gateway
   */
  record Bookmark(Optional<Instant> verifiedAt) implements RecordedSignal {
    @Override
    public String toString() {
      return "bookmark, " + verifiedAt.map(at -> "verified at " + at).orElse("never verified");
    }
  }

  /** Start of a net effect, whose events replace a part of the history. */
  record NetEffectStarted(String reason) implements RecordedSignal {
    @Override
    public String toString() {
      return "net effect started, " + reason;
    }
  }
}
