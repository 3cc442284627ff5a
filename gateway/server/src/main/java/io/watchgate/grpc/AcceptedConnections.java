package io.watchgate.grpc;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.ServerTransportFilter;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.watchgate.grpc.lane.ConnectionLane;
import io.watchgate.grpc.lane.LaneFlusher;
import io.watchgate.grpc.lane.PingFilter;
import java.net.SocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Registry of a server's open connections, from their acceptance on. A call finds its connection by
 * {@link ClientConnection#KEY}. Thread-safe.
 */
final class AcceptedConnections extends ServerTransportFilter {
  private final ConcurrentMap<SocketAddress, ClientConnection> connections =
      new ConcurrentHashMap<>();
  private final TransportSettings settings;
  private final Supplier<InboundBytesLimit> currentLimit;
  private final Supplier<LaneFlusher> currentLaneFlusher;
  private final EndedConnections endedForResets =
      new EndedConnections("too many streams were reset before they were answered");
  private final EndedConnections endedForKeepalive =
      new EndedConnections("it did not answer a keepalive ping");
  private final EndedConnections endedUnread =
      new EndedConnections("its client read nothing of what waits for it");
  private final AtomicInteger paused = new AtomicInteger();
  private volatile Runnable onCertificateRefused = () -> {};
  private final AtomicLong nextNumber = new AtomicLong();
  private final LongAdder withoutLane = new LongAdder();
  private final LongAdder grpcResponses = new LongAdder();
  private volatile LaneUse laneUse = LaneUse.NONE;
  private volatile boolean closed;

  /**
   * @param requests limit of the calling thread, which is an event loop
   * @param laneFlusher flusher of the calling thread, which is an event loop
   */
  AcceptedConnections(
      TransportSettings settings,
      Supplier<InboundBytesLimit> requests,
      Supplier<LaneFlusher> laneFlusher) {
    this.settings = settings;
    this.currentLimit = requests;
    this.currentLaneFlusher = laneFlusher;
  }

  /** Registers each connection that the channel accepts. */
  ServerChannel track(ServerChannel channel) {
    channel.pipeline().addLast(new Acceptor());
    return channel;
  }

  /** Handler of a listening channel; the messages that it reads are connections. */
  private final class Acceptor extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof Channel accepted) {
        @Nullable SocketAddress remote = accepted.remoteAddress();
        if (remote != null) { // null: it is already closed
          ClientConnection connection =
              new ClientConnection(
                  AcceptedConnections.this,
                  settings,
                  System::nanoTime,
                  nextNumber.getAndIncrement());
          connections.put(remote, connection);
          var _ = accepted.closeFuture().addListener(_ -> connections.remove(remote, connection));
          accepted.pipeline().addLast(connection);
        }
      }
      context.fireChannelRead(message);
    }
  }

  @Override
  public Attributes transportReady(Attributes attributes) {
    SocketAddress remote = attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    ClientConnection connection = remote == null ? null : connections.get(remote);
    if (connection == null) {
      return attributes;
    }
    connection.begin();
    return attributes.toBuilder().set(ClientConnection.KEY, connection).build();
  }

  /** Sets the action for the refusal of the certificate of a connection. */
  void onCertificateRefused(Runnable action) {
    onCertificateRefused = action;
  }

  void recordRefusedCertificate() {
    onCertificateRefused.run();
  }

  /** Marks the server as closed. Connections that end later were ended by the server. */
  void close() {
    closed = true;
  }

  boolean isClosed() {
    return closed;
  }

  int count() {
    return connections.size();
  }

  void countPaused(int difference) {
    paused.addAndGet(difference);
  }

  /** Returns the number of connections that are not read, since their clients read nothing. */
  int paused() {
    return paused.get();
  }

  EndedConnections endedForResets() {
    return endedForResets;
  }

  EndedConnections endedForKeepalive() {
    return endedForKeepalive;
  }

  EndedConnections endedUnread() {
    return endedUnread;
  }

  InboundBytesLimit currentLimit() {
    return currentLimit.get();
  }

  private enum LaneUse {
    NONE,
    /** Connections get a lane, which no stream uses. */
    PREPARED,
    STREAMS
  }

  /** Installs the lane on connections that begin from now on, for a later {@link #useLane}. */
  void prepareLane() {
    laneUse = LaneUse.PREPARED;
  }

  /** Lets streams that begin from now on use the lane; until then, they use gRPC. */
  void useLane() {
    laneUse = LaneUse.STREAMS;
  }

  boolean isLaneInUse() {
    return laneUse == LaneUse.STREAMS;
  }

  /**
   * Installs the lane on a connection; called on its event loop, before its first stream.
   *
   * @return null if it is not wanted, or cannot be installed
   */
  @Nullable ConnectionLane attachLane(ChannelHandlerContext http2) {
    if (laneUse == LaneUse.NONE) {
      return null;
    }
    ConnectionLane attached =
        ConnectionLane.attach(
            http2,
            currentLaneFlusher.get(),
            new PingFilter(settings.permittedPing(), System::nanoTime));
    if (attached == null) {
      countWithoutLane();
    }
    return attached;
  }

  /** Counts a connection on which the lane cannot be installed, if it is wanted. */
  void countWithoutLane() {
    if (laneUse != LaneUse.NONE) {
      withoutLane.increment();
    }
  }

  /** Returns the number of connections on which the lane could not be installed. */
  long withoutLane() {
    return withoutLane.sum();
  }

  /** Counts a response of a stream without a lane. */
  void countGrpcResponse() {
    grpcResponses.increment();
  }

  /** Returns the number of responses of streams without a lane. */
  long grpcResponses() {
    return grpcResponses.sum();
  }
}
