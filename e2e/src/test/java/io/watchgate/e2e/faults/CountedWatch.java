package io.watchgate.e2e.faults;

import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchListener;
import io.watchgate.client.WatchUpdate;
import io.watchgate.e2e.kube.Json;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.WatchEvent;
import java.util.ArrayList;
import java.util.List;

/** Watch of one object whose value is incremented, with all received values. Synchronized. */
final class CountedWatch implements WatchListener, AutoCloseable {
  private final WatchClient client;
  private final List<Integer> values = new ArrayList<>();
  private final List<String> others = new ArrayList<>();

  /**
   * Starts the watch.
   *
   * @param client client that is closed with this
   */
  CountedWatch(WatchClient client, ListAndWatchRequest request) {
    this.client = client;
    var _ = client.watch(request, this);
  }

  @Override
  public synchronized void onUpdate(WatchUpdate update) {
    switch (update) {
      case WatchUpdate.SnapshotBegun begun -> others.add("snapshot " + begun.reason());
      case WatchUpdate.SnapshotObjects snapshot -> snapshot.objects().forEach(this::take);
      case WatchUpdate.Changes changes -> {
        changes.netEffect().ifPresent(effect -> others.add("net effect " + effect.reason()));
        changes.events().forEach(this::take);
      }
      case WatchUpdate.Interrupted interrupted -> others.add("left: " + interrupted.cause());
      case WatchUpdate.Reconnected again ->
          others.add("after " + again.outage().toMillis() + " ms " + again.continuation());
      case WatchUpdate.Ended ended -> others.add("ended: " + ended.error().message());
      case WatchUpdate.Opened _, WatchUpdate.SnapshotComplete _, WatchUpdate.Bookmark _ -> {}
    }
  }

  private void take(WatchEvent event) {
    values.add(
        Integer.parseInt(Json.parse(event.getObject().toStringUtf8()).at("/data/value").asText()));
  }

  /** Returns the values in the order of arrival. */
  synchronized List<Integer> values() {
    return List.copyOf(values);
  }

  synchronized int last() {
    return values.isEmpty() ? -1 : values.get(values.size() - 1);
  }

  /** Returns descriptions of all other updates. */
  synchronized List<String> others() {
    return List.copyOf(others);
  }

  @Override
  public void close() {
    client.close();
  }
}
