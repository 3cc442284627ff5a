package io.watchgate.bench.baseline;

import io.grpc.Status;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.StreamOpened;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;

/** One stream, whose transport a subclass adds. Confined to its event loop. */
abstract class EncodeOnceStream {
  private static final int MAX_QUEUED = 1 << 16;

  private static final SharedResponse OPENED =
      SharedResponse.of(
          ListAndWatchResponse.newBuilder().setOpened(StreamOpened.getDefaultInstance()).build());

  private final String node;
  private final int batch;
  private final ArrayDeque<SharedEvent> queue = new ArrayDeque<>();

  /** Responses of the snapshot that are not sent yet. */
  private Iterator<SharedResponse> snapshot = Collections.emptyIterator();

  private Phase phase = Phase.WAITING;

  /** Version up to which all events are in the snapshot, queued or sent. */
  private long version;

  private enum Phase {
    /** No snapshot is available yet. */
    WAITING,
    SENDING,
    OVER
  }

  /**
   * @param node name of the selected node; empty: all objects
   */
  EncodeOnceStream(String node, int batch) {
    this.node = node;
    this.batch = batch;
  }

  String node() {
    return node;
  }

  // ---- transport

  /** Returns whether the transport accepts a response. */
  abstract boolean isReady();

  abstract void sendHeaders();

  abstract void send(SharedResponse response);

  abstract void close(Status status);

  // ---- content

  /**
   * Opens the stream, which is already part of its {@link LoopFanout}.
   *
   * @param since events that the fan-out may have published before
   */
  void open(List<SharedEvent> since) {
    sendHeaders();
    send(OPENED);
    if (!since.isEmpty()) {
      version = since.getLast().version();
      since.stream()
          .filter(event -> node.isEmpty() || node.equals(event.node()))
          .forEach(queue::add);
    }
  }

  void startSnapshot(EncodedSnapshot made) {
    if (phase == Phase.WAITING) {
      phase = Phase.SENDING;
      queue.removeIf(event -> event.version() <= made.version());
      version = Math.max(version, made.version());
      snapshot = made.responses(node).iterator();
      send();
    }
  }

  /**
   * Sends or queues events, which are given as a list and as the response shared by all ready
   * streams. Closes a stream that is more than 65,536 events behind.
   */
  void offer(List<SharedEvent> events, SharedResponse response) {
    if (phase == Phase.OVER) {
      return;
    }
    if (phase == Phase.SENDING
        && queue.isEmpty()
        && !snapshot.hasNext()
        && events.getFirst().version() > version
        && isReady()) {
      send(response);
      return;
    }
    if (queue.size() > MAX_QUEUED) {
      end(Status.RESOURCE_EXHAUSTED.withDescription("too far behind"));
      return;
    }
    for (SharedEvent event : events) {
      if (event.version() > version) {
        queue.add(event);
      }
    }
    send();
  }

  /** Sends the snapshot and queued events while the transport is ready. */
  void send() {
    if (phase != Phase.SENDING) {
      return;
    }
    while (snapshot.hasNext() && isReady()) {
      send(snapshot.next());
    }
    while (!snapshot.hasNext() && !queue.isEmpty() && isReady()) {
      List<SharedEvent> next = new ArrayList<>(batch);
      while (next.size() < batch && !queue.isEmpty()) {
        next.add(queue.poll());
      }
      send(SharedResponse.of(next));
    }
  }

  void fail(Throwable failure) {
    end(Status.UNAVAILABLE.withDescription(failure.toString()));
  }

  void cancel() {
    phase = Phase.OVER;
    queue.clear();
  }

  private void end(Status status) {
    if (phase != Phase.OVER) {
      cancel();
      close(status);
    }
  }
}
