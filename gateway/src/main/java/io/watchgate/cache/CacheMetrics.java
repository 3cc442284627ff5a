package io.watchgate.cache;

/**
 * What a cache and its reflector count. Implemented by {@code ops}; called on the writer's thread,
 * and {@link #probed}, {@link #backfilled} and {@link #selfChecked} on others, too.
 */
public interface CacheMetrics {
  /** Counts nothing. */
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
        public void backfilled(String outcome) {}

        @Override
        public void selfChecked(String outcome) {}

        @Override
        public void historyChecked(String outcome) {}

        @Override
        public void listed(String reason) {}

        @Override
        public void watchEnded(String reason) {}
      };

  void eventsReceived(int count);

  /** The apiserver sent a change that was known already. */
  void duplicateDropped();

  /** Something that the apiserver sent could not be read and was left out; from any thread. */
  void objectSkipped();

  void revisionsTrimmed(int count);

  /** Nothing was read for so long, since changes were not led on to the streams as fast. */
  void waitedForRouter(long nanos);

  /**
   * Nothing was read for so long, since the heap was full and streams still held what was given up.
   */
  void waitedForHeap(long nanos);

  /** The apiserver was asked how far it had come: answered, behind or failed. */
  void probed(String outcome);

  /**
   * The past was to be fetched for tokens older than this gateway: reached, expired, too_large,
   * different, moved (history began elsewhere meanwhile) or failed.
   */
  void backfilled(String outcome);

  /** The state was compared with the apiserver's: equal, different, expired or failed. */
  void selfChecked(String outcome);

  /**
   * After a lost connection the state was compared with the apiserver's before anything newer was
   * taken in: same, lost, unprovable (only a list can tell) or failed.
   */
  void historyChecked(String outcome);

  /**
   * A list was completed; {@code reason} is one of a fixed few: initial, expired, refused,
   * malformed, order, rollback, restored, unprovable, errors, self_check.
   */
  void listed(String reason);

  /**
   * A watch ended; {@code reason} is the kind of {@link UpstreamFailure}, or one of {@link
   * Upstream.End}.
   */
  void watchEnded(String reason);
}
