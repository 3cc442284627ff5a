package io.watchgate.grpc;

/** Listener of the events of a {@link CallOutput}: the call itself. Thread-safe. */
public interface CallOutputListener {
  /** The output, which was not ready, can send again. */
  void onReady();

  /** The client is gone, or did not read for too long; nothing more can be sent. */
  void onGone();

  /** The output failed by an error of the gateway; the call ends with INTERNAL. */
  void onFailed(RuntimeException failure);

  /** The end of the response has been sent. */
  void onEnded();
}
