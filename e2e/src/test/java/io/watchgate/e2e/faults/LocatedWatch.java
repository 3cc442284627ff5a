package io.watchgate.e2e.faults;

import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchListener;
import io.watchgate.client.WatchUpdate;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Watch that records the replicas of its streams. Synchronized. */
final class LocatedWatch implements WatchListener, AutoCloseable {
  private final WatchClient client;
  private final List<String> servers = new ArrayList<>();
  private final List<String> snapshots = new ArrayList<>();
  private long since = System.nanoTime();

  /**
   * Starts the watch.
   *
   * @param client client that is closed with this
   */
  LocatedWatch(WatchClient client, ListAndWatchRequest request) {
    this.client = client;
    var _ = client.watch(request, this);
  }

  @Override
  public synchronized void onUpdate(WatchUpdate update) {
    if (update instanceof WatchUpdate.Opened opened) {
      String server = opened.stream().getServerId();
      if (servers.isEmpty() || !servers.getLast().equals(server)) {
        servers.add(server);
        since = System.nanoTime();
      }
    } else if (update instanceof WatchUpdate.SnapshotBegun begun) {
      snapshots.add(begun.reason().name());
    }
  }

  /** Returns the number of moves from one replica to another. */
  synchronized int moves() {
    return Math.max(0, servers.size() - 1);
  }

  /** Returns whether the watch has been at the current replica for this time. */
  synchronized boolean hasStayedFor(Duration time) {
    return System.nanoTime() - since > time.toNanos();
  }

  /** Returns the reason of each snapshot. */
  synchronized List<String> snapshots() {
    return List.copyOf(snapshots);
  }

  @Override
  public void close() {
    client.close();
  }
}
