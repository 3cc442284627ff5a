package io.watchgate.fanout;

/**
 * Where a subscription's responses go: the transport's side of a stream. Called only by the
 * subscription's owner.
 */
public interface ResponseSink {
  /**
   * A stream is ready while fewer bytes than this wait for the client's window and socket: what a
   * reader that stalls costs. It is gRPC's own figure, and is said here because our bounds are
   * built on it; what keeps a fast reader busy is the HTTP/2 window, not this.
   */
  int READY_BYTES = 32 << 10;

  /**
   * Whether the transport takes more without queueing it up. Turns true again with a call of {@link
   * Subscription#wake}.
   */
  boolean isReady();

  /**
   * Something that equals that of all streams whose bytes take turns with this one's, and of no
   * other.
   */
  default Object connection() {
    return this;
  }

  /** Sends one encoded {@link io.watchgate.proto.v1.ListAndWatchResponse}. */
  void send(ByteSlices response);

  /** Ends the stream. Nothing is sent after it. */
  void end(ApiError refusal);

  /** Ends the stream because the gateway itself failed at it. Nothing is sent after it. */
  void fail();
}
