package io.watchgate.cache;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Keeper of the position of a type for which neither changes nor bookmarks come: {@code events},
 * and all types of an apiserver without watch cache. Its version would be forgotten by the next
 * compaction, and the next watch refused: a gap, although nothing changed.
 *
 * <p>A list of all metadata that equals the held state shows that the state is that of the list's
 * version, too. The position moves there once the watch has been open for {@link #GRACE} since, and
 * brought nothing: what happened before the list would have arrived. Used by the prober's thread.
 */
final class IdlePositionRefresher {
  /** Age of a position that is moved: kube-apiserver compacts what is older than five minutes. */
  private static final Duration QUIET = Duration.ofMinutes(2);

  /** The same for a type of many objects, as a list of them costs more than a gap now and then. */
  private static final Duration QUIET_LARGE = Duration.ofMinutes(10);

  private static final int LARGE = 2_000;

  private static final Duration GRACE = Duration.ofSeconds(10);

  private final Upstream upstream;
  private final WatchCache cache;
  private final ReflectorCommands demands;
  private @Nullable Candidate candidate;

  /** Number of the revision that was compared last. The revision itself would keep its state. */
  private long compared = -1;

  private long comparedAt;

  /** The state of the revision of that number is that of {@code version}. */
  private record Candidate(long number, ResourceVersion version, ClockReading asked) {}

  IdlePositionRefresher(Upstream upstream, WatchCache cache, ReflectorCommands demands) {
    this.upstream = upstream;
    this.cache = cache;
    this.demands = demands;
  }

  /** Looks whether the position has to be moved, or can be. Called now and then during a watch. */
  void look(Revision head) {
    Candidate found = candidate;
    long now = cache.now().nanos();
    if (found != null && found.number == head.number()) {
      if (now - found.asked.nanos() >= GRACE.toNanos()
          && now - cache.watchedSince() >= GRACE.toNanos()) {
        candidate = null;
        cache.answered(found.version, found.asked);
        demands.reached(found.version, head);
      }
      return;
    }
    candidate = null;
    long quiet = (head.state().size() > LARGE ? QUIET_LARGE : QUIET).toNanos();
    long since = compared == head.number() ? comparedAt : head.receivedNanos();
    if (now - since >= quiet) {
      compared = head.number();
      comparedAt = now;
      candidate = compare(head);
    }
  }

  private @Nullable Candidate compare(Revision head) {
    ClockReading began = cache.now();
    MetadataDigest sum = new MetadataDigest(cache.skipped());
    if (upstream.listMetadata(sum) instanceof Upstream.Listed(String listed)) {
      ResourceVersion version = WatchApplier.ordered(listed);
      if (sum.digest().equals(head.digest()) && version.isAfter(head.version())) {
        return new Candidate(head.number(), version, began);
      }
    }
    return null;
  }
}
