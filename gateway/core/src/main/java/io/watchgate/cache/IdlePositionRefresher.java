package io.watchgate.cache;

import org.jspecify.annotations.Nullable;

/**
 * Refresher of the position of a type that gets neither changes nor bookmarks: {@code events}, and
 * all types of an apiserver without watch cache. The next compaction would forget its version, and
 * the next watch would be refused: a gap, although nothing changed.
 *
 * <p>A list of all metadata that equals the cached state proves that this state is also the state
 * of the list's version. The position moves to that version once the watch has been open for {@link
 * IdlePositionSettings#GRACE} since the list without receiving anything: changes before the list
 * would have arrived. Used by the probe's thread.
 */
final class IdlePositionRefresher {
  private final Upstream upstream;
  private final WatchCache cache;
  private final ReflectorCommands commands;
  private @Nullable Candidate candidate;

  /** Number of the revision that was compared last. The revision itself would pin its state. */
  private long compared = -1;

  private long comparedAt;

  /** Proof that the state of revision {@code number} is also the state of {@code version}. */
  private record Candidate(long number, ResourceVersion version, TimeSource.Reading requestedAt) {}

  IdlePositionRefresher(Upstream upstream, WatchCache cache, ReflectorCommands commands) {
    this.upstream = upstream;
    this.cache = cache;
    this.commands = commands;
  }

  /**
   * Checks whether the position has to be or can be refreshed. Called periodically during a watch.
   */
  void refreshIfIdle(Revision head) {
    Candidate found = candidate;
    long now = cache.now().nanos();
    if (found != null && found.number == head.number()) {
      if (now - found.requestedAt.nanos() >= IdlePositionSettings.GRACE.toNanos()
          && now - cache.watchedSince() >= IdlePositionSettings.GRACE.toNanos()) {
        candidate = null;
        cache.proofs().recordAnswer(found.version, found.requestedAt);
        commands.watchFrom(found.version, head);
      }
      return;
    }
    candidate = null;
    long quiet =
        (head.state().size() > IdlePositionSettings.LARGE
                ? IdlePositionSettings.IDLE_AGE_LARGE
                : IdlePositionSettings.IDLE_AGE)
            .toNanos();
    long since = compared == head.number() ? comparedAt : head.receivedNanos();
    if (now - since >= quiet) {
      compared = head.number();
      comparedAt = now;
      candidate = compare(head);
    }
  }

  private @Nullable Candidate compare(Revision head) {
    TimeSource.Reading began = cache.now();
    MetadataDigest sum = new MetadataDigest(cache.skipped());
    if (upstream.listMetadata(sum) instanceof Upstream.Listed(String listed)) {
      ResourceVersion version = WatchApplier.requireOrdered(listed);
      if (sum.digest().equals(head.digest()) && version.isAfter(head.version())) {
        return new Candidate(head.number(), version, began);
      }
    }
    return null;
  }
}
