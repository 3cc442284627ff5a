package io.watchgate.grpc;

/** Call in progress, which its transport notifies. Thread-safe. */
public interface StartedCall {
  /** The transport, which was not ready, can send again. */
  void onReady();

  /** The client is gone, or did not read for too long; nothing more can be sent. */
  void onGone();

  /** The transport failed by an error of the gateway; the call ends with INTERNAL. */
  void onFailed(RuntimeException failure);

  /** The end of the response has been sent. */
  void onEnded();
}
