package io.watchgate.encode;

import io.watchgate.proto.v1.ListAndWatchResponse;
import org.jspecify.annotations.Nullable;

/**
 * Encoding of everything that the streams of a feed are sent. {@link ListAndWatchFormat} is that of
 * gRPC; package {@code http} has that of Kubernetes watches. Streams with equal selections and
 * equal formats share a feed and its bytes. Immutable, thread-safe.
 */
public interface WireFormat {
  /** Returns the part of an object that is sent; also the base of the estimates of snapshots. */
  ObjectProjection projection();

  /** Returns the encoder of events. Feeds with equal encoders share encoded events. */
  EventEncoder events();

  /** Returns the last part of a response whose events lead to the position; may be empty. */
  byte[] position(Position position);

  /**
   * Returns a response with a signal, or its last part if events precede it. Empty if the format
   * does not have the signal.
   *
   * @param position position that is reached with the response; null for none
   * @param signal response that contains only the signal
   */
  ByteSlices signal(@Nullable Position position, ListAndWatchResponse signal);

  /** Returns the history id that signals contain; empty if they contain none. */
  String historyId();
}
