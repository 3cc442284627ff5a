package io.watchgate.fanout;

import io.watchgate.proto.v1.ListAndWatchResponse;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What one stream sends, and the counting of it. Used by one subscription, on its owner. */
final class ResponseWriter {
  /** What a response needs beside its events: position, token, a small signal. */
  private static final int OVERHEAD = 512;

  private final ResponseSink outlet;
  private final ResumeTokenCodec tokens;
  private final SendCounters traffic;
  private final int largest;
  private ByteSlices.@Nullable Builder pending;
  private int pendingEvents;
  private long sentBytes;
  private int lastBytes;

  ResponseWriter(
      ResponseSink outlet, ResumeTokenCodec tokens, int maxResponseBytes, SendCounters traffic) {
    this.outlet = outlet;
    this.tokens = tokens;
    this.traffic = traffic;
    this.largest = maxResponseBytes - OVERHEAD;
  }

  /** Whether the transport takes one. */
  boolean isReady() {
    return outlet.isReady();
  }

  /** How many bytes of events a response may have, in the client's eyes. */
  int largest() {
    return largest;
  }

  /** How many bytes more than one event may have together. */
  int target() {
    return Math.min(SharedChunks.TARGET_BYTES, largest);
  }

  /** Bytes sent since the stream began. */
  long sentBytes() {
    return sentBytes;
  }

  /** Of the last response. */
  int lastBytes() {
    return lastBytes;
  }

  /** Sends a response that was encoded for many. */
  void send(ByteSlices response, int events) {
    outlet.send(response);
    lastBytes = response.size();
    sentBytes += lastBytes;
    traffic.sent(events, response.size());
  }

  /** Sends a signal alone. {@code position}: null for none. */
  void signal(@Nullable Position position, Consumer<ListAndWatchResponse.Builder> signal) {
    send(ResponseEncoder.signal(tokens, position, signal), 0);
  }

  /** Sends events that were encoded for many, and after them, in the same response, a signal. */
  void signal(
      ByteSlices events,
      int count,
      Position position,
      Consumer<ListAndWatchResponse.Builder> signal) {
    ByteSlices end = ResponseEncoder.signal(tokens, position, signal);
    send(new ByteSlices.Builder(events.count() + 1).add(events).add(end).build(), count);
  }

  // ---- responses of this stream alone

  boolean isEmpty() {
    return pending == null;
  }

  /** Whether the event can join those that wait. The first always can. */
  boolean fits(ByteSlices event) {
    ByteSlices.Builder waiting = pending;
    return waiting == null || waiting.size() + event.size() <= target();
  }

  void add(ByteSlices event) {
    ByteSlices.Builder waiting = pending;
    if (waiting == null) {
      waiting = new ByteSlices.Builder();
      pending = waiting;
    }
    waiting.add(event);
    pendingEvents++;
  }

  /**
   * Sends what waits, if anything does. {@code position}: the one that is reached by it, null
   * inside a group.
   */
  void flush(@Nullable Position position) {
    ByteSlices.Builder waiting = pending;
    if (waiting != null) {
      if (position != null) {
        waiting.add(ResponseEncoder.position(tokens, position));
      }
      int events = pendingEvents;
      pending = null;
      pendingEvents = 0;
      send(waiting.build(), events);
    }
  }
}
