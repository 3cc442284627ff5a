package io.watchgate.fanout;

import io.watchgate.error.ApiError;

/**
 * Transport side of a stream: the sink of a subscription's responses. Called only by the event loop
 * of the subscription.
 */
public interface ResponseSink {
  /**
   * Limit of the bytes queued for the client's window and socket below which a stream is ready; the
   * cost of a stalled reader. It is gRPC's own figure, and is repeated here because the limits of
   * this package build on it. A fast reader is kept busy by the HTTP/2 window, not by this queue.
   */
  int READY_BYTES = 32 << 10;

  /**
   * Returns whether the transport accepts more without queueing it. {@link Subscription#wake} is
   * called when this changes to true.
   */
  boolean isReady();

  /**
   * Returns an identity of the connection: equal for all streams whose bytes share it, and
   * different for all others.
   */
  default Object connection() {
    return this;
  }

  /** Sends one encoded {@link io.watchgate.proto.v1.ListAndWatchResponse}. */
  void send(ByteSlices response);

  /** Ends the stream with an error. Nothing is sent after it. */
  void end(ApiError refusal);

  /** Ends the stream because the gateway itself failed. Nothing is sent after it. */
  void fail();
}
