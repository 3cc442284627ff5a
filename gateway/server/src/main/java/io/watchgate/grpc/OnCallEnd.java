package io.watchgate.grpc;

import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.ServerCall;

/** Listener that runs an action when its call ends, however it ends, and forwards all events. */
class OnCallEnd<Q> extends SimpleForwardingServerCallListener<Q> {
  private final Runnable action;

  /**
   * @param action runs before the event is forwarded
   */
  OnCallEnd(ServerCall.Listener<Q> next, Runnable action) {
    super(next);
    this.action = action;
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
