package io.watchgate.cache;

/**
 * Counters of a cache and its reflector. Implemented by {@code ops}. Thread-safe: several methods
 * are called on other threads than the writer's.
 */
public interface CacheMetrics {
  /** Implementation that counts nothing. */
  CacheMetrics NONE =
      new CacheMetrics() {
        @Override
        public void eventsReceived(int count) {}

        @Override
        public void duplicateDropped() {}

        @Override
        public void objectSkipped() {}

        @Override
        public void revisionsTrimmed(int count) {}

        @Override
        public void waitedForRouter(long nanos) {}

        @Override
        public void waitedForHeap(long nanos) {}

        @Override
        public void probed(String outcome) {}

        @Override
        public void freshnessProved(String way, String outcome, long nanos) {}

        @Override
        public StartedBackfill backfillStarted() {
          return outcome -> {};
        }

        @Override
        public void backfillsAnswered(String outcome, int requests) {}

        @Override
        public void selfChecked(String outcome) {}

        @Override
        public void historyChecked(String outcome) {}

        @Override
        public StartedList listStarted(ListReason reason) {
          return objects -> {};
        }

        @Override
        public void listOrWatchEnded(String reason) {}
      };

  void eventsReceived(int count);

  /** Counts a change from the apiserver that was known already. */
  void duplicateDropped();

  /** Counts something from the apiserver that could not be read and was left out. */
  void objectSkipped();

  void revisionsTrimmed(int count);

  /** Adds the time for which the watch was not read because the consumer lagged. */
  void waitedForRouter(long nanos);

  /**
   * Adds the time for which the watch was not read because the heap was full and streams had not
   * yet released their revisions.
   */
  void waitedForHeap(long nanos);

  /** Counts a version probe by outcome: answered, behind or failed. */
  void probed(String outcome);

  /**
   * Counts a proof of freshness by way (list, version or watch) and outcome (proven or unproven),
   * with its duration.
   */
  void freshnessProved(String way, String outcome, long nanos);

  /** Begins to measure a backfill for tokens older than this gateway. */
  StartedBackfill backfillStarted();

  /** Backfill whose end is to be counted, once. */
  interface StartedBackfill {
    /**
     * Counts the backfill by outcome: reached, expired, too_large, different, moved (history began
     * elsewhere meanwhile), unanswered or failed.
     */
    void ended(String outcome);
  }

  /**
   * Counts requests of streams for a backfill by outcome: reached, not_available, given_up (too
   * many attempts were made at other versions) or too_many (too many requests waited already).
   */
  void backfillsAnswered(String outcome, int requests);

  /** Counts a self-check by outcome: equal, different, expired or failed. */
  void selfChecked(String outcome);

  /**
   * Counts a history proof after a lost connection by outcome: same, lost, unprovable (only a list
   * can decide) or failed.
   */
  void historyChecked(String outcome);

  /** Begins to measure a list. */
  StartedList listStarted(ListReason reason);

  /** List that is counted if it completes. */
  interface StartedList {
    /** Counts the list, after its state of this many objects was published. */
    void completed(int objects);
  }

  /**
   * Counts the end of a watch, or a failed list. {@code reason} is the kind of {@link
   * UpstreamFailure}, the reason of the list that follows a contradiction, one of {@link
   * Upstream.End}, or {@code too_large} or {@code unordered}, after which the reflector ends.
   */
  void listOrWatchEnded(String reason);
}
