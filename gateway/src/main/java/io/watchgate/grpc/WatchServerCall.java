package io.watchgate.grpc;

import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.watchgate.auth.GrantListener;
import io.watchgate.fanout.ApiError;
import io.watchgate.fanout.ByteSlices;
import io.watchgate.fanout.ClientEnd;
import io.watchgate.fanout.GoingAwayNotice;
import io.watchgate.fanout.ResponseSink;
import io.watchgate.fanout.StreamLoop;
import io.watchgate.fanout.Subscription;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * One stream's transport: what gRPC tells of it, and where its responses go.
 *
 * <p>gRPC calls on the loop of the stream's connection, which is its owner's thread. Between the
 * request and the subscription a thread of its own has the call, and nobody else answers it: gRPC
 * tells then only that the client is gone or that the transport takes more, and both are kept for
 * the subscription.
 */
final class WatchServerCall extends ServerCall.Listener<ParsedRequest<ListAndWatchRequest>>
    implements ResponseSink, GrantListener {
  private static final Logger log = LoggerFactory.getLogger(WatchServerCall.class);

  /** A loop that does not come to it within that time is too busy to be asked. */
  private static final int ANSWER_SECONDS = 5;

  private final ServerCall<ParsedRequest<ListAndWatchRequest>, ByteSlices> call;
  private final WatchService service;
  private final StreamLoop owner;
  private final long arrival;
  private final StreamLimiter.Client client;

  /** Until it is complete. */
  private @Nullable RequestInboundBytes incoming;

  private final StreamSession visit;

  /** Until the client has said that it was the only one. */
  private @Nullable ParsedRequest<ListAndWatchRequest> request;

  private boolean headersSent;

  /** Here and not in the visit: a delivery touches this object anyway. */
  private long sentBytes;

  private boolean closed;
  private volatile @Nullable Subscription subscription;

  /** Written before {@link #over}. */
  private volatile ClientEnd left = ClientEnd.CLIENT;

  /** The transport has let go of it. */
  private volatile boolean over;

  /** It has to go on with newer credentials; who is not open yet sees it once it is. */
  private volatile boolean reauthenticates;

  /** Why nothing more is sent, whatever is about to be; null: it goes on. */
  private volatile @Nullable ApiError expelled;

  /**
   * @param owner on whose thread this is made and called
   * @param client whose place this has, until it leaves
   * @param incoming to be told when the request is complete
   * @param visit whose it is
   */
  WatchServerCall(
      ServerCall<ParsedRequest<ListAndWatchRequest>, ByteSlices> call,
      WatchService service,
      StreamLoop owner,
      StreamLimiter.Client client,
      RequestInboundBytes incoming,
      StreamSession visit) {
    this.call = call;
    this.service = service;
    this.owner = owner;
    this.arrival = owner.arrival();
    this.client = client;
    this.incoming = incoming;
    this.visit = visit;
  }

  StreamLimiter.Client client() {
    return client;
  }

  StreamLoop owner() {
    return owner;
  }

  /** Which of its owner's it is. */
  long arrival() {
    return arrival;
  }

  StreamSession visit() {
    return visit;
  }

  /** As grpc-java has it for methods with one request: nothing is begun before it is alone. */
  @Override
  public void onMessage(ParsedRequest<ListAndWatchRequest> message) {
    if (request != null) {
      close(Status.INTERNAL.withDescription("Too many requests"), new Metadata());
    } else {
      request = message;
    }
  }

  @Override
  public void onHalfClose() {
    complete();
    ParsedRequest<ListAndWatchRequest> asked = request;
    request = null;
    if (closed) {
      return;
    }
    if (asked == null) {
      close(Status.INTERNAL.withDescription("Half-closed without a request"), new Metadata());
      return;
    }
    switch (asked) {
      case ParsedRequest.Message<ListAndWatchRequest>(ListAndWatchRequest message) ->
          service.begin(this, message);
      case ParsedRequest.Unreadable<ListAndWatchRequest>(ApiError refusal) -> refuse(refusal);
    }
  }

  private void complete() {
    RequestInboundBytes begun = incoming;
    if (begun != null) {
      incoming = null;
      begun.complete();
    }
  }

  /** Opens a subscription that sends here. On any thread, once. */
  void open(Subscription reader) {
    visit.opened(); // before its end can be told
    reader.open();
    subscription = reader; // not before it is open: it must not end first
    reader.wake(); // what was told meanwhile
    if (over) {
      reader.left(left);
      return;
    }
    ApiError gone = expelled;
    if (gone != null) {
      reader.expel(gone);
    }
    if (reauthenticates) {
      reauthenticate();
    }
    service.draining().ifPresent(departure -> reader.depart(departure, Duration.ZERO));
  }

  /** Sends the client elsewhere. Who is not open yet looks for it once it is. On any thread. */
  void depart(GoingAwayNotice departure, Duration after) {
    Subscription reader = subscription;
    if (reader != null) {
      reader.depart(departure, after);
    }
  }

  /** The same, and waits for nothing. */
  void departNow(GoingAwayNotice departure) {
    Subscription reader = subscription;
    if (reader != null) {
      reader.departNow(departure);
    }
  }

  /**
   * Sends the client elsewhere if it has everything. Waits for the answer; on a thread that may.
   */
  boolean shed(GoingAwayNotice departure) throws InterruptedException {
    Subscription reader = subscription;
    if (reader == null || over) {
      return false;
    }
    CompletableFuture<Boolean> left = new CompletableFuture<>();
    reader.departIfCaughtUp(departure, left::complete);
    try {
      return left.get(ANSWER_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException | ExecutionException e) {
      return false; // its loop is busy, or gone
    }
  }

  @Override
  public void reauthenticate() {
    reauthenticates = true;
    depart(GoingAwayNotice.reauthenticate(), Duration.ZERO);
  }

  /** What is about to be sent is not, and what is not open yet ends once it is. */
  @Override
  public void expel(ApiError refusal) {
    expelled = refusal;
    Subscription reader = subscription;
    if (reader != null) {
      reader.expel(refusal);
    }
  }

  boolean isOver() {
    return over;
  }

  @Override
  public void onReady() {
    Subscription reader = subscription;
    if (reader != null) {
      reader.wake();
    }
  }

  /** The client is gone, or its connection. */
  @Override
  public void onCancel() {
    ClientConnection connection = call.getAttributes().get(ClientConnection.KEY);
    leave(connection == null ? ClientEnd.CONNECTION : connection.end());
  }

  /** The last of what was sent has left; or gRPC itself ended the call, as it could not send. */
  @Override
  public void onComplete() {
    leave(null);
  }

  private void leave(@Nullable ClientEnd how) {
    left = how == null ? ClientEnd.CLIENT : how;
    over = true;
    complete();
    visit.sent(sentBytes);
    service.leave(this, how);
    Subscription reader = subscription;
    if (reader != null) {
      reader.left(left);
    }
  }

  @Override
  public boolean isReady() {
    return call.isReady();
  }

  @Override
  public Object connection() {
    return connectionOf(call);
  }

  /** Equal for all calls of a connection, and for no others of this server. */
  static Object connectionOf(ServerCall<?, ?> call) {
    Object remote = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    return remote == null ? call : remote;
  }

  @Override
  public void send(ByteSlices response) {
    if (over || expelled != null) {
      return;
    }
    if (!headersSent) {
      headersSent = true;
      call.sendHeaders(new Metadata());
    }
    call.sendMessage(response);
    sentBytes += response.size();
  }

  /** Instead of a subscription; also before the request is complete, then on its loop. */
  void refuse(ApiError refusal) {
    service.refused(refusal.reason());
    visit.denied(refusal.reason());
    close(GrpcErrors.exception(refusal));
  }

  @Override
  public void end(ApiError refusal) {
    boolean usual =
        refusal.reason() == ErrorReason.ERROR_REASON_DRAINING
            || refusal.reason() == ErrorReason.ERROR_REASON_STREAM_AGE
            || refusal.reason() == ErrorReason.ERROR_REASON_REBALANCING
            || refusal.reason() == ErrorReason.ERROR_REASON_CREDENTIALS_EXPIRED;
    log.atLevel(usual ? Level.DEBUG : Level.INFO)
        .log("{} ends: {}", visit.name(), GrpcErrors.name(refusal.reason()));
    visit.sent(sentBytes);
    visit.ended(refusal.reason());
    close(GrpcErrors.exception(refusal));
  }

  @Override
  public void fail() {
    close(GrpcErrors.internal());
  }

  private void close(StatusRuntimeException exception) {
    close(exception.getStatus(), GrpcErrors.trailers(exception));
  }

  /** One end is enough, and gRPC takes no second. */
  private void close(Status status, Metadata trailers) {
    if (!closed) {
      closed = true;
      try {
        call.close(status, trailers);
      } catch (IllegalStateException e) {
        log.debug("{} was ended by gRPC itself", visit.name(), e);
      }
    }
  }
}
