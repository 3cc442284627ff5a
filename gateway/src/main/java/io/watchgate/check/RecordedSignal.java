package io.watchgate.check;

import java.time.Instant;
import java.util.Optional;

/** What a response said besides its events. */
public sealed interface RecordedSignal {
  /** Those of which nothing more needs to be known. */
  enum Plain implements RecordedSignal {
    NONE,
    RESUMED,
    GOING_AWAY
  }

  /**
   * The first of all.
   *
   * @param history empty: not known yet
   */
  record Opened(String history) implements RecordedSignal {
    @Override
    public String toString() {
      return "opened";
    }
  }

  /** A snapshot follows. */
  record SnapshotStarted(Reason reason, String history) implements RecordedSignal {
    /** Why it does. */
    public enum Reason {
      REQUESTED,
      POSITION_EXPIRED,
      HISTORY_LOST,
      TYPE_CHANGED;

      /** Whether positions after it compare with none before. */
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
   * The snapshot is complete.
   *
   * @param objects how many the subscriber now holds, as the gateway says
   */
  record Synced(long objects) implements RecordedSignal {
    @Override
    public String toString() {
      return "synced, %,d objects".formatted(objects);
    }
  }

  /**
   * A position while nothing else is to be said.
   *
   * @param verifiedAt when the apiserver last proved it up to date, as the gateway says
   */
  record Bookmark(Optional<Instant> verifiedAt) implements RecordedSignal {
    @Override
    public String toString() {
      return "bookmark, " + verifiedAt.map(at -> "verified at " + at).orElse("never verified");
    }
  }

  /** What follows replaces a piece of history. */
  record NetEffectStarted(String reason) implements RecordedSignal {
    @Override
    public String toString() {
      return "net effect started, " + reason;
    }
  }
}
