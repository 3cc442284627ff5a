package io.watchgate.grpc;

import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;

/** Listener that runs an action when its call ends, however it ends, and forwards all events. */
class CallEndListener<Q> extends SimpleForwardingServerCallListener<Q> {
  private final Runnable action;

  /**
   * @param action runs before the event is forwarded
   */
  CallEndListener(ServerCall.Listener<Q> next, Runnable action) {
    super(next);
    this.action = action;
  }

  /**
   * Starts a call whose end releases something.
   *
   * @param release runs here if the call does not start, because gRPC then ends it without calling
   *     a listener
   * @return the listener of the started call, which does not run {@code release}
   */
  static <Q, A> ServerCall.Listener<Q> start(
      ServerCallHandler<Q, A> handler, ServerCall<Q, A> call, Metadata headers, Runnable release) {
    boolean started = false;
    try {
      ServerCall.Listener<Q> listener = handler.startCall(call, headers);
      started = true;
      return listener;
    } finally {
      if (!started) {
        release.run();
      }
    }
  }

  @Override
  public void onComplete() {
    action.run();
    super.onComplete();
  }

  @Override
  public void onCancel() {
    action.run();
    super.onCancel();
  }
}
