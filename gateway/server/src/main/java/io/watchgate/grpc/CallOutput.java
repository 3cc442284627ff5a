package io.watchgate.grpc;

import java.util.concurrent.ScheduledExecutorService;

/**
 * Output of the responses of one call that arrived over HTTP. Called only on the event loop of the
 * call; must not block.
 */
public interface CallOutput {
  /**
   * Begins the call. Called first.
   *
   * @param listener gets the events of this output
   * @param loop event loop of the call; after the end of the gateway it refuses tasks
   */
  void begin(CallOutputListener listener, ScheduledExecutorService loop);

  /** Returns whether a message can be sent without queueing it. */
  boolean isReady();

  /** Sends one encoded message. */
  void send(byte[] message);

  /** Ends the response. Called at most once; nothing is sent after it. */
  void end(CallStatus ending);
}
