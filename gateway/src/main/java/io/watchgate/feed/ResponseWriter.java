package io.watchgate.feed;

import io.watchgate.cache.ResourceType;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.WatchEvent;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Puts events into responses of a bounded size. Used by one subscription, on its owner. */
final class ResponseWriter {
  /**
   * Larger only for a single event (design, section 3): many who lag with 1 MiB each would be
   * gigabytes.
   */
  static final int TARGET_BYTES = 64 << 10;

  private static final int OVERHEAD = 512;

  private final Outlet outlet;
  private final Tokens tokens;
  private final ResourceType type;
  private final FeedMetrics metrics;
  private final int limit;
  private ListAndWatchResponse.Builder pending = ListAndWatchResponse.newBuilder();
  private int pendingBytes;
  private long sentBytes;

  ResponseWriter(Outlet outlet, Tokens tokens, int maxResponseBytes, FeedMetrics metrics) {
    this.outlet = outlet;
    this.tokens = tokens;
    this.type = tokens.epoch().definition().type();
    this.metrics = metrics;
    this.limit = Math.min(TARGET_BYTES, maxResponseBytes - OVERHEAD);
  }

  /** Bytes sent since the stream began. */
  long sentBytes() {
    return sentBytes;
  }

  boolean isEmpty() {
    return pendingBytes == 0;
  }

  /** Whether the event can join those that wait. The first always can. */
  boolean fits(WatchEvent event) {
    return isEmpty() || pendingBytes + size(event) <= limit;
  }

  void add(WatchEvent event) {
    pending.addEvents(event);
    pendingBytes += size(event);
  }

  private static int size(WatchEvent event) {
    return event.getSerializedSize() + 6; // tag and length
  }

  /**
   * Sends what waits, if anything does. {@code position}: the one that is reached by it, null
   * inside a group.
   */
  void flush(@Nullable Position position) {
    if (!isEmpty()) {
      signal(position, response -> {});
    }
  }

  /** Sends a signal, and before it, in the same response, the events that wait. */
  void signal(@Nullable Position position, Consumer<ListAndWatchResponse.Builder> signal) {
    ListAndWatchResponse.Builder response = pending;
    pending = ListAndWatchResponse.newBuilder();
    pendingBytes = 0;
    if (position != null) {
      response
          .setResourceVersion(position.version().digits())
          .setResumeToken(tokens.encode(position));
    }
    signal.accept(response);
    ListAndWatchResponse built = response.build();
    Slices encoded = Slices.of(built.toByteArray());
    outlet.send(encoded);
    int bytes = encoded.size();
    sentBytes += bytes;
    metrics.sent(type, built.getEventsCount(), bytes);
  }
}
