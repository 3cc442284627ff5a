package io.watchgate.balance;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The other replicas, by their last entries and the local times at which these were read: clocks of
 * other replicas are not used.
 */
final class Peers {
  private final String self;
  private final Duration silenceTimeout;
  private final Duration removalTimeout;
  private final Map<String, Peer> peers = new HashMap<>();

  /**
   * Another replica.
   *
   * @param readAt time at which the last new entry was read
   * @param hasPublished whether the replica has published since it was first seen: its first entry
   *     may be old
   */
  private record Peer(LoadRegistry.Entry lastEntry, long readAt, boolean hasPublished) {}

  /**
   * Creates an empty set of replicas.
   *
   * @param silenceTimeout time without a new entry after which a replica does not count
   * @param removalTimeout time without a new entry after which a replica is to be removed from the
   *     registry
   */
  Peers(String self, Duration silenceTimeout, Duration removalTimeout) {
    this.self = self;
    this.silenceTimeout = silenceTimeout;
    this.removalTimeout = removalTimeout;
  }

  void update(List<LoadRegistry.Entry> entries, long now) {
    Set<String> names =
        entries.stream().map(LoadRegistry.Entry::replica).collect(Collectors.toSet());
    peers.keySet().retainAll(names);
    for (LoadRegistry.Entry entry : entries) {
      if (!entry.replica().equals(self)) {
        peers.compute(entry.replica(), (name, before) -> updatedPeer(before, entry, now));
      }
    }
  }

  private static Peer updatedPeer(@Nullable Peer before, LoadRegistry.Entry entry, long now) {
    if (before == null) {
      return new Peer(entry, now, false);
    }
    return before.lastEntry().version().equals(entry.version())
        ? before
        : new Peer(entry, now, true);
  }

  /** Returns the stream count of each live replica. */
  List<Integer> streamCounts(long now) {
    return peers.values().stream()
        .filter(peer -> isLive(peer, now))
        .map(peer -> peer.lastEntry().streams())
        .toList();
  }

  /** Returns whether all live replicas have published since that time. */
  boolean haveAllPublishedSince(long then, long now) {
    return peers.values().stream()
        .filter(peer -> isLive(peer, now))
        .allMatch(peer -> peer.readAt() - then > 0);
  }

  private boolean isLive(Peer peer, long now) {
    return peer.hasPublished() && now - peer.readAt() < silenceTimeout.toNanos();
  }

  /** Returns the replicas without a new entry for so long that they will not return. */
  List<String> expired(long now) {
    return peers.entrySet().stream()
        .filter(peer -> now - peer.getValue().readAt() > removalTimeout.toNanos())
        .map(Map.Entry::getKey)
        .toList();
  }
}
