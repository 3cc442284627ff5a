package io.watchgate.bench.baseline;

import io.watchgate.bench.baseline.BaselineUpstream.ListResult;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.SnapshotStarted;
import io.watchgate.proto.v1.Synced;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** All objects at a version, each encoded once and shared by all streams. Thread-safe. */
final class EncodedSnapshot {
  private static final int RESPONSE_BYTES = 64 << 10;

  private static final SharedResponse STARTED =
      SharedResponse.of(
          ListAndWatchResponse.newBuilder()
              .setSnapshotStarted(SnapshotStarted.getDefaultInstance())
              .build());

  private final long version;
  private final List<SharedEvent> objects;
  private final Map<String, List<SharedEvent>> objectsByNode;
  private final Map<String, List<SharedResponse>> responses = new ConcurrentHashMap<>();

  private EncodedSnapshot(List<SharedEvent> objects, long version) {
    this.objects = objects;
    this.version = version;
    this.objectsByNode = objects.stream().collect(Collectors.groupingBy(SharedEvent::node));
  }

  static EncodedSnapshot of(ListResult listed) {
    return new EncodedSnapshot(
        listed.objects().stream().map(SharedEvent::of).toList(), listed.version());
  }

  long version() {
    return version;
  }

  /**
   * Returns all responses of a snapshot, including Synced.
   *
   * @param node name of the selected node; empty: all objects
   */
  List<SharedResponse> responses(String node) {
    return responses.computeIfAbsent(
        node, it -> encoded(it.isEmpty() ? objects : objectsByNode.getOrDefault(it, List.of())));
  }

  private static List<SharedResponse> encoded(List<SharedEvent> objects) {
    List<SharedResponse> responses = new ArrayList<>();
    responses.add(STARTED);
    List<SharedEvent> next = new ArrayList<>();
    int bytes = 0;
    for (SharedEvent object : objects) {
      if (!next.isEmpty() && bytes + object.event().size() > RESPONSE_BYTES) {
        responses.add(SharedResponse.withoutPosition(next));
        next.clear();
        bytes = 0;
      }
      next.add(object);
      bytes += object.event().size();
    }
    if (!next.isEmpty()) {
      responses.add(SharedResponse.withoutPosition(next));
    }
    responses.add(
        SharedResponse.of(
            ListAndWatchResponse.newBuilder()
                .setSynced(Synced.newBuilder().setObjects(objects.size()))
                .build()));
    return List.copyOf(responses);
  }
}
