package io.watchgate.check;

/** What a response said besides its events. */
public sealed interface Signal {
  /** Those of which nothing more needs to be known. */
  enum Plain implements Signal {
    NONE,
    RESUMED,
    BOOKMARK,
    GOING_AWAY
  }

  /**
   * The first of all.
   *
   * @param history empty: not known yet
   */
  record Opened(String history) implements Signal {}

  /** A snapshot follows. */
  record SnapshotStarted(Reason reason, String history) implements Signal {
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
  }

  /**
   * The snapshot is complete.
   *
   * @param objects how many the subscriber now holds, as the gateway says
   */
  record Synced(long objects) implements Signal {}

  /** What follows replaces a piece of history. */
  record NetEffectStarted(String reason) implements Signal {}
}
