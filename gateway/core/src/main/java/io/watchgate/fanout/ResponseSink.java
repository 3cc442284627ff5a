package io.watchgate.fanout;

import io.watchgate.encode.ByteSlices;
import io.watchgate.error.ApiError;
import org.jspecify.annotations.Nullable;

/**
 * Transport side of a stream: the sink of a subscription's responses. Called only by the event loop
 * of the subscription.
 */
public interface ResponseSink {
  /**
   * Limit of the bytes queued for the client's window and socket below which a stream is ready:
   * what a stalled reader costs. It is gRPC's own figure, and is repeated here because the limits
   * of this package build on it. A fast reader is kept busy by the HTTP/2 window, not by this
   * queue.
   */
  int READY_BYTES = 32 << 10;

  /**
   * Returns whether the transport accepts a response without queueing it; otherwise {@link
   * Subscription#wake} is called when it does. Called by a stream that wants to send.
   */
  boolean isReady();

  /**
   * Returns whether the transport could not send all that the stream had for it. Has no effect, so
   * that a stream with nothing to send may be asked, too.
   */
  default boolean isBlocked() {
    return !isReady();
  }

  /**
   * Returns the most that the transport can hold of this stream while it is not ready, in bytes.
   *
   * @param lastResponse bytes of the last response
   */
  default long queuedBytes(long lastResponse) {
    return READY_BYTES + lastResponse;
  }

  /**
   * Returns an identity of the connection: equal for all streams whose bytes share it, and
   * different for all others.
   */
  default Object connection() {
    return this;
  }

  /** Returns the client of the stream, for operators. */
  default StreamIdentity identity() {
    return StreamIdentity.UNKNOWN;
  }

  /** Returns whether the transport can send one response to several streams at once. */
  default boolean hasGroups() {
    return false;
  }

  /**
   * Returns a new group with this sink as its first member. Until it is removed, nothing else may
   * be sent.
   *
   * @param onReady called after {@link SinkGroup.Outcome#WAIT}
   * @return null if the sink has no groups, or something of it is not sent yet
   */
  default @Nullable SinkGroup openGroup(Runnable onReady) {
    return null;
  }

  /**
   * Adds this sink to a group. Returns false if the group is of another connection, or something of
   * this sink is not sent yet.
   */
  default boolean joinGroup(SinkGroup group) {
    return false;
  }

  /** Sends one encoded {@link io.watchgate.proto.v1.ListAndWatchResponse}. */
  void send(ByteSlices response);

  /** Ends the stream with an error. Nothing is sent after it. */
  void end(ApiError refusal);

  /** Ends the stream because the gateway itself failed. Nothing is sent after it. */
  void fail();
}
