package io.watchgate.balance;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The other replicas, by what they said and when that was heard here: clocks of others are of no
 * account.
 */
final class Peers {
  private final String self;
  private final Duration silence;
  private final Duration oblivion;
  private final Map<String, Peer> peers = new HashMap<>();

  /**
   * @param heardAt when it was found to have said something new
   * @param alive it has spoken since it was first seen: what was found may have been there for long
   */
  private record Peer(LoadRegistry.Entry said, long heardAt, boolean alive) {}

  /**
   * @param silence after which a replica does not count
   * @param oblivion after which it is to be taken off the board
   */
  Peers(String self, Duration silence, Duration oblivion) {
    this.self = self;
    this.silence = silence;
    this.oblivion = oblivion;
  }

  void hear(List<LoadRegistry.Entry> entries, long now) {
    Set<String> names =
        entries.stream().map(LoadRegistry.Entry::replica).collect(Collectors.toSet());
    peers.keySet().retainAll(names);
    for (LoadRegistry.Entry entry : entries) {
      if (!entry.replica().equals(self)) {
        peers.compute(entry.replica(), (name, before) -> heard(before, entry, now));
      }
    }
  }

  private static Peer heard(@Nullable Peer before, LoadRegistry.Entry entry, long now) {
    if (before == null) {
      return new Peer(entry, now, false);
    }
    return before.said().version().equals(entry.version()) ? before : new Peer(entry, now, true);
  }

  /** The streams of each that is there. */
  List<Integer> streams(long now) {
    return peers.values().stream()
        .filter(peer -> counts(peer, now))
        .map(peer -> peer.said().streams())
        .toList();
  }

  /** Whether all that are there have spoken since. */
  boolean haveSpokenSince(long then, long now) {
    return peers.values().stream()
        .filter(peer -> counts(peer, now))
        .allMatch(peer -> peer.heardAt() - then > 0);
  }

  private boolean counts(Peer peer, long now) {
    return peer.alive() && now - peer.heardAt() < silence.toNanos();
  }

  /** Those that have been silent for so long that they will not come back. */
  List<String> gone(long now) {
    return peers.entrySet().stream()
        .filter(peer -> now - peer.getValue().heardAt() > oblivion.toNanos())
        .map(Map.Entry::getKey)
        .toList();
  }
}
