package io.watchgate.grpc;

import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.ServerCall;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.ChannelDuplexHandler;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelPipeline;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Connection;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Error;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslHandler;
import io.watchgate.admission.ClientAddress;
import io.watchgate.fanout.ClientEnd;
import io.watchgate.grpc.lane.ConnectionLane;
import io.watchgate.grpc.lane.StreamLane;
import io.watchgate.proto.v1.ErrorReason;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Connection of a client. It installs the limits that gRPC lacks. It also finds out why the
 * connection's streams are cancelled, which gRPC does not report. gRPC's listeners get the same
 * call for a reset, for a closed connection and for a keepalive ping without an answer. First
 * handler of the connection; used on the connection's event loop.
 */
final class ClientConnection extends ChannelDuplexHandler {
  static final Attributes.Key<ClientConnection> KEY =
      Attributes.Key.create("watchgate-client-connection");

  private final AcceptedConnections connections;
  private final TransportSettings settings;
  private final LongSupplier nanoTime;
  private final long number;
  private volatile @Nullable ChannelHandlerContext context;
  private @Nullable IncompleteHeaders incompleteHeaders;
  private @Nullable ConnectionLane lane;
  private long lastRead;
  private boolean reading;

  /** Nothing is read until the client has read what waits for it. */
  private boolean paused;

  /** Closes the connection if it stays paused; null if it is not paused. */
  private @Nullable Future<?> closing;

  private boolean unread;

  /** GOAWAY was sent because of an error of the client. */
  private boolean errorGoAwaySent;

  private boolean keepaliveFailed;
  private volatile String agent = "";

  /**
   * @param number number of the connection in the order of acceptance
   */
  ClientConnection(
      AcceptedConnections all, TransportSettings settings, LongSupplier nanoTime, long number) {
    this.connections = all;
    this.number = number;
    this.settings = settings;
    this.nanoTime = nanoTime;
  }

  /** gRPC installs its handlers during this call, before any byte is read. */
  @Override
  public void channelActive(ChannelHandlerContext active) {
    context = active;
    lastRead = nanoTime.getAsLong();
    active.fireChannelActive();
    ChannelPipeline pipeline = active.pipeline();
    ChannelHandlerContext tls = pipeline.context(SslHandler.class);
    ChannelHandlerContext http2 = pipeline.context(Http2ConnectionHandler.class);
    IncompleteHeaders counter = new IncompleteHeaders(connections.currentLimit());
    if (tls != null) {
      pipeline.addAfter(tls.name(), null, counter);
      incompleteHeaders = counter;
    } else if (http2 != null) {
      pipeline.addBefore(http2.name(), null, counter);
      incompleteHeaders = counter;
    }
  }

  /** Called with the first SETTINGS frame, before which no stream begins. */
  void begin() {
    ChannelHandlerContext active = context;
    IncompleteHeaders counter = incompleteHeaders;
    if (active == null || counter == null) {
      connections.countWithoutLane();
      return;
    }
    ChannelHandlerContext http2Context = active.pipeline().context(Http2ConnectionHandler.class);
    if (http2Context == null
        || !(http2Context.handler() instanceof Http2ConnectionHandler handler)) {
      if (active.channel().isActive()) { // else it is being closed
        connections.countWithoutLane();
      }
      return;
    }
    lane = connections.attachLane(http2Context);
    Http2Connection http2 = handler.connection();
    RapidResetLimit resets =
        new RapidResetLimit(http2, active.channel(), connections.endedForResets(), nanoTime);
    counter.setListener(resets);
    http2.addListener(resets);
    http2.addListener(
        new Http2ConnectionAdapter() {
          @Override
          public void onGoAwaySent(int lastStream, long errorCode, ByteBuf text) {
            errorGoAwaySent |= errorCode != Http2Error.NO_ERROR.code();
          }
        });
  }

  /**
   * Returns the lane of the stream that the caller is starting.
   *
   * @return null: it sends by gRPC
   */
  @Nullable StreamLane openLane(StreamLane.Listener listener) {
    ConnectionLane shared = lane;
    return shared == null || !connections.isLaneInUse() ? null : shared.openStream(listener);
  }

  /**
   * Counts a response of a stream without a lane, unless it was sent by another server than that of
   * gRPC.
   */
  static void countGrpcResponse(ServerCall<?, ?> call) {
    ClientConnection connection = call.getAttributes().get(KEY);
    if (connection != null) {
      connection.connections.countGrpcResponse();
    }
  }

  /** Keeps the user agent of the first call: all calls of a connection are of one library. */
  void recordAgent(@Nullable String sent) {
    if (agent.isEmpty() && sent != null) {
      agent = sent.substring(0, Math.min(HttpClientInfo.MAX_AGENT, sent.length()));
    }
  }

  /** Returns the user agent of the client's library; empty if it sent none. */
  String agent() {
    return agent;
  }

  /** Returns the number of the connection in the order of acceptance. */
  long number() {
    return number;
  }

  @Override
  public void channelRead(ChannelHandlerContext active, Object message) {
    reading = true;
    lastRead = nanoTime.getAsLong();
    try {
      active.fireChannelRead(message);
    } finally {
      reading = false;
    }
    if (!paused && active.channel().bytesBeforeWritable() > TransportSettings.MAX_UNSENT_BYTES) {
      setPaused(active, true);
    }
  }

  /** Netty's HTTP/2 and TLS handlers ask for a read also when reads are not automatic. */
  @Override
  public void read(ChannelHandlerContext active) {
    if (!paused) {
      active.read();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext active) {
    if (paused && active.channel().isWritable()) {
      setPaused(active, false);
    }
    active.fireChannelWritabilityChanged();
    ConnectionLane shared = lane;
    if (shared != null) {
      shared.onWritabilityChanged();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext active) {
    if (paused) {
      setPaused(active, false);
    }
    active.fireChannelInactive();
  }

  private void setPaused(ChannelHandlerContext active, boolean pause) {
    paused = pause;
    active.channel().config().setAutoRead(!pause);
    connections.countPaused(pause ? 1 : -1);
    Future<?> before = closing;
    if (before != null) {
      before.cancel(false);
    }
    closing =
        pause
            ? active.executor().schedule(() -> closeUnread(active), silence(), TimeUnit.NANOSECONDS)
            : null;
  }

  /**
   * Closes a connection that stays paused. gRPC would wait without end for the client to read
   * GOAWAY.
   */
  private void closeUnread(ChannelHandlerContext active) {
    unread = true;
    connections.endedUnread().recordEnd(address(active));
    var _ = active.close();
  }

  /** Returns the nanoseconds of silence after which a client has failed. */
  private long silence() {
    return settings.keepaliveTime().plus(settings.keepaliveTimeout()).toNanos();
  }

  /**
   * Makes the client open another connection for its next calls if the certificate of this one has
   * expired, or its authority was removed: there it can show a newer one. Calls of this connection
   * go on. Called before the call is closed, from any thread.
   */
  static void replaceIfRefused(ServerCall<?, ?> call, ErrorReason reason) {
    ClientConnection connection = call.getAttributes().get(KEY);
    if (connection != null && reason == ErrorReason.ERROR_REASON_CREDENTIALS_EXPIRED) {
      connection.connections.recordRefusedCertificate();
      connection.sendGoAway();
    }
  }

  private void sendGoAway() {
    ChannelHandlerContext active = context;
    if (active == null) {
      return;
    }
    if (!active.executor().inEventLoop()) {
      active.executor().execute(this::sendGoAway);
      return;
    }
    ChannelHandlerContext http2 = active.pipeline().context(Http2ConnectionHandler.class);
    if (http2 != null
        && http2.handler() instanceof Http2ConnectionHandler handler
        && !handler.connection().goAwaySent()) {
      var _ =
          handler.goAway(
              http2,
              Integer.MAX_VALUE,
              Http2Error.NO_ERROR.code(),
              Unpooled.EMPTY_BUFFER,
              http2.newPromise());
      http2.flush();
    }
  }

  /**
   * Returns why gRPC cancels the current call. A reset arrives by a read, a failed keepalive does
   * not.
   */
  ClientEnd endReason() {
    ChannelHandlerContext active = context;
    if (unread) {
      return ClientEnd.UNREAD;
    }
    if (active == null
        || !active.channel().isActive()
        || errorGoAwaySent
        || connections.isClosed()) {
      return ClientEnd.CONNECTION;
    }
    @Nullable Deadline deadline = Context.current().getDeadline();
    if (reading || (deadline != null && deadline.isExpired())) {
      return ClientEnd.CLIENT;
    }
    if (nanoTime.getAsLong() - lastRead < silence()) {
      return ClientEnd.CLIENT;
    }
    if (paused) {
      return ClientEnd.UNREAD; // no answer to a ping could be read
    }
    if (!keepaliveFailed) {
      keepaliveFailed = true;
      connections.endedForKeepalive().recordEnd(address(active));
    }
    return ClientEnd.KEEPALIVE;
  }

  private static String address(ChannelHandlerContext active) {
    return ClientAddress.text(ClientAddress.of(active.channel().remoteAddress()));
  }
}
