package io.watchgate.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.watchgate.feed.Outlet;
import io.watchgate.feed.Refusal;
import io.watchgate.feed.Subscription;
import io.watchgate.proto.v1.ListAndWatchResponse;
import org.jspecify.annotations.Nullable;

/**
 * One stream's transport. gRPC tells on its own threads that it takes more or that the client is
 * gone; both are passed on to the subscription, also where they come before there is one.
 */
final class StreamOutlet implements Outlet {
  private final ServerCallStreamObserver<ListAndWatchResponse> observer;
  private final Runnable whenOver;
  private volatile @Nullable Subscription subscription;
  private volatile boolean cancelled;

  /**
   * Must be made before the service's method returns: gRPC takes handlers no later.
   *
   * @param whenOver called once or more when the stream has ended, on any side
   */
  StreamOutlet(ServerCallStreamObserver<ListAndWatchResponse> observer, Runnable whenOver) {
    this.observer = observer;
    this.whenOver = whenOver;
    observer.setOnReadyHandler(
        () -> {
          Subscription reader = subscription;
          if (reader != null) {
            reader.wake();
          }
        });
    observer.setOnCancelHandler(
        () -> {
          cancelled = true;
          Subscription reader = subscription;
          if (reader != null) {
            reader.cancel();
          }
          whenOver.run();
        });
  }

  void open(Subscription reader) {
    reader.open();
    subscription = reader; // not before it is open: it must not end first
    reader.wake(); // what was told meanwhile
    if (cancelled) {
      reader.cancel();
    }
  }

  boolean isCancelled() {
    return cancelled;
  }

  @Override
  public boolean isReady() {
    return observer.isReady();
  }

  @Override
  public void send(ListAndWatchResponse response) {
    observer.onNext(response);
  }

  @Override
  public void end(Refusal refusal) {
    observer.onError(ErrorModel.exception(refusal));
    whenOver.run();
  }

  @Override
  public void fail() {
    observer.onError(ErrorModel.internal());
    whenOver.run();
  }
}
