package io.watchgate.feed;

/**
 * Where a subscription's responses go: the transport's side of a stream. Called only by the
 * subscription's owner.
 */
public interface Outlet {
  /**
   * Whether the transport takes more without queueing it up. Turns true again with a call of {@link
   * Subscription#wake}.
   */
  boolean isReady();

  /** Sends one encoded {@link io.watchgate.proto.v1.ListAndWatchResponse}. */
  void send(Slices response);

  /** Ends the stream. Nothing is sent after it. */
  void end(Refusal refusal);

  /** Ends the stream because the gateway itself failed at it. Nothing is sent after it. */
  void fail();
}
