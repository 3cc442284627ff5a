package io.watchgate.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.stub.ServerCallStreamObserver;
import io.watchgate.feed.Outlet;
import io.watchgate.feed.Refusal;
import io.watchgate.feed.Slices;
import io.watchgate.feed.Subscription;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * One stream's transport. gRPC tells on its own threads that it takes more or that the client is
 * gone; both are passed on to the subscription, also where they come before there is one.
 */
final class StreamOutlet implements Outlet {
  private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");
  private static final Logger log = LoggerFactory.getLogger(StreamOutlet.class);

  private final ServerCallStreamObserver<ListAndWatchResponse> observer;
  private final Runnable whenOver;
  private volatile @Nullable Subscription subscription;
  private volatile boolean cancelled;
  private volatile String name = "a refused stream";

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

  /** How operators find the stream in the log: its id, and what the client calls itself. */
  void name(String streamId, String clientName) {
    name =
        clientName.isEmpty()
            ? "stream " + streamId
            : "stream " + streamId + " (" + CONTROL.matcher(clientName).replaceAll("?") + ")";
  }

  void open(Subscription reader) {
    reader.open();
    subscription = reader; // not before it is open: it must not end first
    reader.wake(); // what was told meanwhile
    if (cancelled) {
      reader.cancel();
    }
  }

  @Override
  public boolean isReady() {
    return observer.isReady();
  }

  @Override
  public void send(Slices response) {
    try {
      observer.onNext(ListAndWatchResponse.parseFrom(response.toByteArray()));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a response that is none", e);
    }
  }

  @Override
  public void end(Refusal refusal) {
    boolean usual = subscription == null || refusal.reason() == ErrorReason.ERROR_REASON_DRAINING;
    log.atLevel(usual ? Level.DEBUG : Level.INFO)
        .log("{} ends: {}", name, ErrorModel.name(refusal.reason()));
    observer.onError(ErrorModel.exception(refusal));
    whenOver.run();
  }

  @Override
  public void fail() {
    observer.onError(ErrorModel.internal());
    whenOver.run();
  }
}
