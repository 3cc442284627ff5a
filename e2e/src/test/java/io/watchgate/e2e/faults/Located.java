package io.watchgate.e2e.faults;

import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchListener;
import io.watchgate.client.WatchUpdate;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A watch, and at which replicas it has been. Synchronized. */
final class Located implements WatchListener, AutoCloseable {
  private final WatchClient client;
  private final List<String> servers = new ArrayList<>();
  private final List<String> snapshots = new ArrayList<>();
  private long since = System.nanoTime();

  /**
   * Begins.
   *
   * @param client is closed with this
   */
  Located(WatchClient client, ListAndWatchRequest request) {
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

  /** How often it came from one replica to another. */
  synchronized int moves() {
    return Math.max(0, servers.size() - 1);
  }

  /** Whether it is where it is for so long. */
  synchronized boolean hasStayedFor(Duration time) {
    return System.nanoTime() - since > time.toNanos();
  }

  /** Why there was a snapshot, each time. */
  synchronized List<String> snapshots() {
    return List.copyOf(snapshots);
  }

  @Override
  public void close() {
    client.close();
  }
}
