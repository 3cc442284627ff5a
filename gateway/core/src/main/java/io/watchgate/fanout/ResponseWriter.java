package io.watchgate.fanout;

import io.watchgate.encode.ByteSlices;
import io.watchgate.encode.Position;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writer of the responses of one stream, which also counts them. Used by one subscription, on its
 * event loop.
 */
final class ResponseWriter {
  /** Maximum bytes of a response beside its events: position, token, a small signal. */
  private static final int OVERHEAD = 512;

  private final ResponseSink sink;
  private final Feed feed;
  private final SendCounters counters;
  private final int maxEventBytes;
  private ByteSlices.@Nullable Builder pending;

  /** Events that were added or sent, modulo 2^32, without those of the group that it is in. */
  private int sentEvents;

  private long sentBytes;
  private int lastBytes;

  ResponseWriter(ResponseSink sink, Feed feed, int maxResponseBytes, SendCounters counters) {
    this.sink = sink;
    this.feed = feed;
    this.counters = counters;
    this.maxEventBytes = maxResponseBytes - OVERHEAD;
  }

  /** Returns whether the transport accepts a response. */
  boolean isReady() {
    return sink.isReady();
  }

  /** Returns the maximum bytes of events in a response that the client accepts. */
  int maxEventBytes() {
    return maxEventBytes;
  }

  /** Returns the maximum bytes of a response with more than one event. */
  int targetBytes() {
    return targetBytes(maxEventBytes);
  }

  static int targetBytes(int maxEventBytes) {
    return Math.min(FanoutSettings.MAX_CHUNK_BYTES, maxEventBytes);
  }

  ResponseSink sink() {
    return sink;
  }

  /** Returns the bytes sent since the stream began. */
  long sentBytes() {
    return sentBytes;
  }

  /** Returns the events since the stream began, modulo 2^32, for a stream that is in no group. */
  long sentEvents() {
    return Integer.toUnsignedLong(sentEvents);
  }

  /** Counts events that a group has sent, or excludes those that it sent before (negative). */
  void addSentEvents(int events) {
    sentEvents += events;
  }

  /** Returns the bytes of the last response. */
  int lastBytes() {
    return lastBytes;
  }

  /** Sends a response that was encoded for many streams. */
  void send(ByteSlices response, int events) {
    sink.send(response);
    lastBytes = response.size();
    sentBytes += lastBytes;
    sentEvents += events;
    counters.recordSent(events, response.size());
  }

  /** Counts bytes that were sent to the stream as a member of a group, which counts the events. */
  void addSent(long bytes, int last) {
    sentBytes += bytes;
    lastBytes = last;
  }

  /**
   * Sends a signal without events, unless the format does not have it. {@code position} is null for
   * none.
   */
  void signal(@Nullable Position position, Consumer<ListAndWatchResponse.Builder> signal) {
    ByteSlices response = encode(position, signal);
    if (!response.isEmpty()) {
      send(response, 0);
    }
  }

  /**
   * Sends the signal that the stream has a start. It may be empty: then it only notifies the
   * transport that responses follow.
   */
  void begin(@Nullable Position position, Consumer<ListAndWatchResponse.Builder> signal) {
    send(encode(position, signal), 0);
  }

  /**
   * Sends events that were encoded for many streams, and a signal after them in the same response.
   */
  void signal(
      ByteSlices events,
      int count,
      Position position,
      Consumer<ListAndWatchResponse.Builder> signal) {
    ByteSlices end = encode(position, signal);
    send(new ByteSlices.Builder(events.count() + 1).add(events).add(end).build(), count);
  }

  private ByteSlices encode(
      @Nullable Position position, Consumer<ListAndWatchResponse.Builder> signal) {
    ListAndWatchResponse.Builder response = ListAndWatchResponse.newBuilder();
    signal.accept(response);
    return feed.format().signal(position, response.build());
  }

  // ---- responses of this stream only

  boolean isEmpty() {
    return pending == null;
  }

  /** Returns whether the event fits into the pending response. The first event always fits. */
  boolean fits(ByteSlices event) {
    ByteSlices.Builder waiting = pending;
    return waiting == null || waiting.size() + event.size() <= targetBytes();
  }

  void add(ByteSlices event) {
    ByteSlices.Builder waiting = pending;
    if (waiting == null) {
      waiting = new ByteSlices.Builder();
      pending = waiting;
    }
    waiting.add(event);
    // Counted here and not when it is sent, so that no second counter is kept: what is added is
    // sent within the same task, unless that fails.
    sentEvents++;
    counters.recordSent(1, 0);
  }

  /**
   * Sends the pending events, if there are any. {@code position} is the position reached by them,
   * or null within a sequence that has no position yet.
   */
  void flush(@Nullable Position position) {
    ByteSlices.Builder waiting = pending;
    if (waiting != null) {
      if (position != null) {
        waiting.add(feed.format().position(position));
      }
      pending = null;
      send(waiting.build(), 0);
    }
  }
}
