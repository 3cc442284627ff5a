package io.watchgate.grpc;

import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.watchgate.admission.GatewayStreamLimiter;
import io.watchgate.auth.GrantListener;
import io.watchgate.encode.ByteSlices;
import io.watchgate.error.ApiError;
import io.watchgate.error.ReasonName;
import io.watchgate.fanout.ClientEnd;
import io.watchgate.fanout.EndedStreams;
import io.watchgate.fanout.GoingAwayNotice;
import io.watchgate.fanout.ResponseSink;
import io.watchgate.fanout.SinkGroup;
import io.watchgate.fanout.StreamIdentity;
import io.watchgate.fanout.StreamLoop;
import io.watchgate.fanout.Subscription;
import io.watchgate.grpc.lane.StreamLane;
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
 * Server side of one ListAndWatch call: listener of gRPC's events, and sink of the stream's
 * responses.
 *
 * <p>gRPC calls it on the event loop of the connection, which is also the stream's event loop.
 * Between the request and the subscription the call belongs to a thread of its own, and only that
 * thread answers it. Meanwhile gRPC only reports that the client is gone or that the transport is
 * writable. Both are kept for the subscription.
 */
final class WatchServerCall extends ServerCall.Listener<RequestParseResult<ListAndWatchRequest>>
    implements ResponseSink, GrantListener, StreamLane.Listener, StreamShedder.MovableStream {
  private static final Logger log = LoggerFactory.getLogger(WatchServerCall.class);

  /** Name of the protocol, for operators. */
  static final String GRPC = "grpc";

  /** Seconds after which an event loop is too busy to answer. */
  private static final int ANSWER_SECONDS = 5;

  private final ServerCall<RequestParseResult<ListAndWatchRequest>, ByteSlices> call;
  private final WatchService service;
  private final StreamLoop streamLoop;
  private final long servingOrder;
  private final GatewayStreamLimiter.Slot slot;

  /** Null once the request is complete. */
  private InboundBytesLimit.@Nullable Request inboundBytes;

  private final StreamSession session;

  /** Null if the stream sends by gRPC only. */
  private @Nullable StreamLane lane;

  /** The request, kept until the client has closed its side: then there is only one. */
  private @Nullable RequestParseResult<ListAndWatchRequest> request;

  private boolean headersSent;

  /** Here and not in the session, because a delivery touches this object anyway. */
  private long sentBytes;

  private boolean closed;
  private volatile @Nullable Subscription subscription;

  /** End by the client, set once the transport has released the call; null if gRPC ended it. */
  private @Nullable ClientEnd clientEnd;

  /** The transport has released the call. */
  private volatile boolean released;

  /**
   * The client must resume with newer credentials. A stream that is not open yet checks it after
   * opening.
   */
  private volatile boolean mustReauthenticate;

  /** Reason why nothing more is sent, including pending responses; null: the stream may send. */
  private volatile @Nullable ApiError revocation;

  /**
   * @param streamLoop stream loop of the calling thread
   * @param slot slot of this call, until it leaves
   * @param inboundBytes is notified when the request is complete
   * @param session session of this stream
   */
  WatchServerCall(
      ServerCall<RequestParseResult<ListAndWatchRequest>, ByteSlices> call,
      WatchService service,
      StreamLoop streamLoop,
      GatewayStreamLimiter.Slot slot,
      InboundBytesLimit.Request inboundBytes,
      StreamSession session) {
    this.call = call;
    this.service = service;
    this.streamLoop = streamLoop;
    ClientConnection connection = call.getAttributes().get(ClientConnection.KEY);
    this.servingOrder = streamLoop.servingOrder(connection == null ? 0 : connection.number());
    this.slot = slot;
    this.inboundBytes = inboundBytes;
    this.session = session;
  }

  /** Called while gRPC starts the call; see {@link ClientConnection#openLane}. */
  void openLane() {
    ClientConnection connection = call.getAttributes().get(ClientConnection.KEY);
    lane = connection == null ? null : connection.openLane(this);
  }

  GatewayStreamLimiter.Slot slot() {
    return slot;
  }

  StreamLoop streamLoop() {
    return streamLoop;
  }

  /** Returns the number of {@link StreamLoop#servingOrder}. */
  long servingOrder() {
    return servingOrder;
  }

  /** Returns the bytes of all responses. Called on its event loop. */
  long sentBytes() {
    return sentBytes;
  }

  StreamSession session() {
    return session;
  }

  @Override
  public long startNanos() {
    return session.startNanos();
  }

  /**
   * Keeps the request until the client half-closes, as in grpc-java for methods with one request.
   */
  @Override
  public void onMessage(RequestParseResult<ListAndWatchRequest> message) {
    if (request != null) {
      close(Status.INTERNAL.withDescription("Too many requests"), new Metadata());
    } else {
      request = message;
    }
  }

  @Override
  public void onHalfClose() {
    completeRequest();
    RequestParseResult<ListAndWatchRequest> asked = request;
    request = null;
    if (closed) {
      return;
    }
    if (asked == null) {
      close(Status.INTERNAL.withDescription("Half-closed without a request"), new Metadata());
      return;
    }
    switch (asked) {
      case RequestParseResult.Message<ListAndWatchRequest>(ListAndWatchRequest message) ->
          service.begin(this, message);
      case RequestParseResult.Unreadable<ListAndWatchRequest>(ApiError refusal) -> refuse(refusal);
    }
  }

  private void completeRequest() {
    InboundBytesLimit.Request begun = inboundBytes;
    if (begun != null) {
      inboundBytes = null;
      begun.complete();
    }
  }

  /** Opens a subscription that sends here. On any thread, once. */
  void open(Subscription subscription) {
    session.onOpened(); // before its end can be audited
    subscription.open(() -> onOpening(subscription));
  }

  /**
   * Makes the subscription known, and passes on the events that arrived meanwhile. Called on the
   * event loop as the stream starts: before that the stream must not end, and after that its end
   * must not be missed.
   */
  private void onOpening(Subscription starting) {
    subscription = starting;
    if (released) {
      finishRelease(starting);
      return;
    }
    ApiError gone = revocation;
    if (gone != null) {
      starting.terminate(gone);
    }
    if (mustReauthenticate) {
      reauthenticate();
    }
    service.draining().ifPresent(notice -> starting.goAway(notice, Duration.ZERO));
  }

  /**
   * Sends GOING_AWAY to the client. A stream that is not open yet checks it after opening. On any
   * thread.
   */
  void goAway(GoingAwayNotice notice, Duration after) {
    Subscription subscription = this.subscription;
    if (subscription != null) {
      subscription.goAway(notice, after);
    }
  }

  /**
   * Sends GOING_AWAY and ends the stream without waiting for a position. Does nothing for a stream
   * that is not open yet, which sends the notice when it opens.
   */
  void goAwayNow(GoingAwayNotice notice) {
    Subscription subscription = this.subscription;
    if (subscription != null) {
      subscription.goAwayNow(notice);
    }
  }

  /** Waits for the answer of the event loop, so the calling thread must be allowed to block. */
  @Override
  public boolean goAwayIfKeepingUp(GoingAwayNotice notice) throws InterruptedException {
    Subscription subscription = this.subscription;
    if (subscription == null || released) {
      return false;
    }
    CompletableFuture<Boolean> left = new CompletableFuture<>();
    subscription.goAwayIfKeepingUp(notice, left::complete);
    try {
      return left.get(ANSWER_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException | ExecutionException e) {
      return false; // its event loop is busy, or has ended
    }
  }

  @Override
  public void reauthenticate() {
    mustReauthenticate = true;
    goAway(GoingAwayNotice.reauthenticate(), Duration.ZERO);
  }

  /** Drops pending responses. A stream that is not open yet ends after opening. */
  @Override
  public void revoke(ApiError error) {
    revocation = error;
    Subscription subscription = this.subscription;
    if (subscription != null) {
      subscription.terminate(error);
    }
    StreamLane lane = this.lane;
    if (lane != null) {
      lane.end(); // a group may send for it, which does not look at this object
    }
  }

  boolean isReleased() {
    return released;
  }

  @Override
  public void onReady() {
    Subscription subscription = this.subscription;
    if (subscription != null) {
      subscription.wake();
    }
  }

  /** Called when the client or its connection is gone. */
  @Override
  public void onCancel() {
    ClientConnection connection = call.getAttributes().get(ClientConnection.KEY);
    onRelease(connection == null ? ClientEnd.CONNECTION : connection.endReason());
  }

  /**
   * Called when the last bytes were sent, or when gRPC itself ended the call because it could not
   * send.
   */
  @Override
  public void onComplete() {
    onRelease(null);
  }

  private void onRelease(@Nullable ClientEnd how) {
    clientEnd = how;
    released = true;
    completeRequest();
    StreamLane lane = this.lane;
    if (lane != null) {
      lane.end();
    }
    Subscription subscription = this.subscription;
    if (subscription != null) {
      finishRelease(subscription);
    }
    service.remove(this, how);
  }

  /** Records the end, and passes it on. Called on the event loop, once for a released stream. */
  private void finishRelease(Subscription subscription) {
    ClientEnd how = clientEnd;
    recordEnd(how == null ? ClientEnd.INTERNAL : how.label());
    subscription.transportClosed(how == null ? ClientEnd.CLIENT : how);
  }

  @Override
  public boolean isReady() {
    StreamLane lane = this.lane;
    return lane == null ? call.isReady() : lane.isReady(call);
  }

  @Override
  public boolean isBlocked() {
    StreamLane lane = this.lane;
    return (lane != null && lane.isWaiting()) || !call.isReady();
  }

  @Override
  public long queuedBytes(long lastResponse) {
    StreamLane lane = this.lane;
    return lane != null && lane.isClearOfGrpc()
        ? lastResponse
        : ResponseSink.super.queuedBytes(lastResponse);
  }

  @Override
  public boolean hasGroups() {
    return lane != null;
  }

  @Override
  public @Nullable SinkGroup openGroup(Runnable ready) {
    StreamLane lane = this.lane;
    return lane == null || isSilenced() ? null : lane.openGroup(ready);
  }

  @Override
  public boolean joinGroup(SinkGroup group) {
    StreamLane lane = this.lane;
    return lane != null && !isSilenced() && lane.join(group);
  }

  @Override
  public void onSentByGroup(long bytes) {
    sentBytes += bytes;
  }

  @Override
  public Object connection() {
    return connectionOf(call);
  }

  /**
   * Returns an object that is equal for all calls of a connection, and for no other calls of this
   * server.
   */
  static Object connectionOf(ServerCall<?, ?> call) {
    Object remote = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    return remote == null ? call : remote;
  }

  @Override
  public void send(ByteSlices response) {
    if (isSilenced()) {
      return;
    }
    if (!headersSent) {
      headersSent = true;
      call.sendHeaders(new Metadata());
    }
    StreamLane lane = this.lane;
    if (lane == null) {
      call.sendMessage(response);
      ClientConnection.countGrpcResponse(call);
    } else {
      lane.send(call, response);
    }
    sentBytes += response.size();
  }

  /** Returns whether nothing more is sent. */
  private boolean isSilenced() {
    return released || revocation != null;
  }

  /**
   * Refuses the call without a subscription. If the request is not complete, on the call's event
   * loop.
   */
  void refuse(ApiError refusal) {
    service.recordRefusal(refusal.reason());
    service.endedStreams().addRefused(entry(ReasonName.of(refusal.reason())));
    session.onDenied(refusal.reason());
    close(refusal);
  }

  @Override
  public void end(ApiError error) {
    boolean usual =
        error.reason() == ErrorReason.ERROR_REASON_DRAINING
            || error.reason() == ErrorReason.ERROR_REASON_STREAM_AGE
            || error.reason() == ErrorReason.ERROR_REASON_REBALANCING
            || error.reason() == ErrorReason.ERROR_REASON_CREDENTIALS_EXPIRED;
    log.atLevel(usual ? Level.DEBUG : Level.INFO)
        .log("{} ends: {}", session.name(), ReasonName.of(error.reason()));
    session.onEnded(error.reason(), sentBytes);
    recordEnd(ReasonName.of(error.reason()));
    close(error);
  }

  private void recordEnd(String reason) {
    if (!closed) {
      service.endedStreams().addEnded(entry(reason));
    }
  }

  private EndedStreams.Entry entry(String reason) {
    Subscription ended = subscription;
    return new EndedStreams.Entry(
        service.time().now(),
        identity(),
        ended == null ? "" : ended.type().groupResource(),
        ended == null ? null : EndedStreams.Watched.of(ended.selection(), ended.lastActivity()),
        reason,
        sentBytes);
  }

  @Override
  public StreamIdentity identity() {
    HttpClientInfo client = call.getAttributes().get(HttpClientInfo.KEY);
    if (client != null) {
      return session.identity(client.api(), client.agent());
    }
    ClientConnection connection = call.getAttributes().get(ClientConnection.KEY);
    return session.identity(GRPC, connection == null ? "" : connection.agent());
  }

  @Override
  public void fail() {
    recordEnd(ClientEnd.INTERNAL);
    close(GrpcErrors.internal());
  }

  private void close(ApiError error) {
    if (session.isByCertificate()) {
      ClientConnection.replaceIfRefused(call, error.reason());
    }
    close(GrpcErrors.exception(error));
  }

  private void close(StatusRuntimeException exception) {
    close(exception.getStatus(), GrpcErrors.trailers(exception));
  }

  /** Closes the call at most once, because gRPC accepts no second close. */
  private void close(Status status, Metadata trailers) {
    if (!closed) {
      closed = true;
      StreamLane lane = this.lane;
      if (lane != null) {
        lane.end();
      }
      try {
        call.close(status, trailers);
      } catch (IllegalStateException e) {
        log.debug("{} was ended by gRPC itself", session.name(), e);
      }
    }
  }
}
