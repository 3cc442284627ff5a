package io.watchgate.bench.yardstick;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.SnapshotStarted;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.proto.v1.Synced;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** One stream; on its event loop alone. */
final class LimitStream {
  private static final int MAX_BEHIND = 1 << 16;

  private static final List<SharedResponse> OPENING =
      List.of(
          SharedResponse.of(
              ListAndWatchResponse.newBuilder()
                  .setOpened(StreamOpened.getDefaultInstance())
                  .build()),
          SharedResponse.of(
              ListAndWatchResponse.newBuilder()
                  .setSnapshotStarted(SnapshotStarted.getDefaultInstance())
                  .build()),
          SharedResponse.of(
              ListAndWatchResponse.newBuilder().setSynced(Synced.getDefaultInstance()).build()));

  private final ServerCall<ListAndWatchRequest, SharedResponse> call;
  private final String node;
  private final int batch;
  private final ArrayDeque<SharedEvent> behind = new ArrayDeque<>();
  private boolean over;

  /**
   * @param node the node selected; empty: everything
   */
  LimitStream(ServerCall<ListAndWatchRequest, SharedResponse> call, String node, int batch) {
    this.call = call;
    this.node = node;
    this.batch = batch;
  }

  String node() {
    return node;
  }

  void open() {
    call.sendHeaders(new Metadata());
    OPENING.forEach(call::sendMessage);
  }

  /** The same as a list and as the response that all share who are ready. */
  void offer(List<SharedEvent> events, SharedResponse response) {
    if (over) {
      return;
    }
    if (behind.isEmpty() && call.isReady()) {
      call.sendMessage(response);
      return;
    }
    if (behind.size() > MAX_BEHIND) {
      end(Status.RESOURCE_EXHAUSTED.withDescription("too far behind"));
      return;
    }
    behind.addAll(events);
    sendBehind();
  }

  void sendBehind() {
    while (!behind.isEmpty() && call.isReady()) {
      List<SharedEvent> next = new ArrayList<>(batch);
      while (next.size() < batch && !behind.isEmpty()) {
        next.add(behind.poll());
      }
      call.sendMessage(SharedResponse.of(next));
    }
  }

  private void end(Status status) {
    if (!over) {
      over = true;
      behind.clear();
      call.close(status, new Metadata());
    }
  }
}
