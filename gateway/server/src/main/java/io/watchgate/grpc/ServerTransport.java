package io.watchgate.grpc;

import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.bootstrap.ServerBootstrap;
import io.grpc.netty.shaded.io.netty.buffer.AdaptiveByteBufAllocator;
import io.grpc.netty.shaded.io.netty.buffer.ByteBufAllocator;
import io.grpc.netty.shaded.io.netty.channel.ChannelFactory;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.IoEventLoop;
import io.grpc.netty.shaded.io.netty.channel.IoHandlerFactory;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.SingleThreadIoEventLoop;
import io.grpc.netty.shaded.io.netty.channel.WriteBufferWaterMark;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.grpc.netty.shaded.io.netty.util.concurrent.EventExecutor;
import io.grpc.netty.shaded.io.netty.util.concurrent.RejectedExecutionHandlers;
import io.watchgate.fanout.ResponseSink;
import io.watchgate.grpc.lane.LaneFlusher;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Event loops, and all gRPC and Netty settings of connections and streams. It is separate from the
 * service, so that a server for comparison has the same settings. Thread-safe.
 */
public final class ServerTransport implements AutoCloseable {
  /** Queued bytes up to which a stream is ready. */
  public static final int READY_BYTES = ResponseSink.READY_BYTES;

  /**
   * Time in ms that tasks may keep an event loop from its sockets, checked after every 64 tasks.
   * Netty's default of 1,000 ms suits tasks from outside. Streams that scan much and send little
   * post themselves again, and would use up that time.
   */
  private static final int MAX_TASK_MILLIS = 10;

  /**
   * Bytes that one flush may pass to a socket. Netty's 32 to 64 KiB split a change for 100 streams
   * of one connection, 1 KiB each, into three writes; with this it is one. Bytes that wait for a
   * slow socket are bounded by the streams' own thresholds, wherever they wait. But bytes are
   * written in order: a small change waits behind up to 256 KiB of other streams' snapshots.
   */
  private static final WriteBufferWaterMark WRITE_BUFFER_WATER_MARK =
      new WriteBufferWaterMark(128 << 10, 256 << 10);

  /**
   * A change becomes one buffer per reader, and all of them are alive until their flush. The pooled
   * allocator of gRPC caches fewer per thread, so it searched its chunks for each of them. This
   * allocator takes buffers one after the other from a chunk of the thread (see
   * docs/explanation/measurements.md, {@code watchgate compare paced}). The process has one
   * allocator, as its memory is bounded by the buffers that are alive.
   */
  private static final ByteBufAllocator BUFFER_ALLOCATOR = new AdaptiveByteBufAllocator(true);

  /**
   * Reads of a connection before the next connection is read, and before anything is sent: a few
   * requests. Thousands of requests may arrive at once, from clients that lost another replica.
   * With Netty's 16 reads of up to 64 KiB an event loop began all of them before it sent a change
   * to any stream.
   */
  static final int READS_PER_PASS = 1;

  /** Bytes of one read; see {@link #READS_PER_PASS}. */
  static final int READ_BYTES = 2 << 10;

  /**
   * gRPC counts all resets, also those of streams that got their response. The effective limit is
   * {@link RapidResetLimit}, which ends the connection first, also for streams that never began
   * because of broken headers.
   */
  private static final int MAX_RESETS = 100_000;

  private static final int RESET_WINDOW_SECONDS = 10;

  private final TransportSettings settings;
  private final ChannelFactory<ServerChannel> channel;
  private final AcceptedConnections accepted;
  private final EventLoopGroup accepting;
  private final EventLoopGroup serving;
  private final List<EventLoop> loops;
  private final List<InboundBytesLimit> limits = new ArrayList<>();
  private final List<LaneFlusher> laneFlushers = new ArrayList<>();

  /**
   * Creates event loops whose threads start with their first task.
   *
   * @param count number of loops, one per core
   */
  public ServerTransport(int count) {
    this(count, TransportSettings.DEFAULTS);
  }

  ServerTransport(int count, TransportSettings settings) {
    this.settings = settings;
    this.accepted = new AcceptedConnections(settings, this::currentLimit, this::currentLaneFlusher);
    boolean epoll = Epoll.isAvailable();
    IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    this.channel = epoll ? EpollServerSocketChannel::new : NioServerSocketChannel::new;
    this.accepting = new Group(1, "grpc-accept", io);
    this.serving = new Group(count, "grpc-loop", io);
    List<EventLoop> all = new ArrayList<>();
    for (EventExecutor executor : serving) {
      all.add((EventLoop) executor);
      limits.add(new InboundBytesLimit());
      laneFlushers.add(new LaneFlusher());
    }
    this.loops = List.copyOf(all);
  }

  private static final class Group extends MultiThreadIoEventLoopGroup {
    Group(int count, String name, IoHandlerFactory io) {
      super(count, new DefaultThreadFactory(name, true), io);
    }

    @Override
    protected IoEventLoop newChild(Executor executor, IoHandlerFactory io, Object... unused) {
      return new SingleThreadIoEventLoop(
          this,
          executor,
          io,
          Integer.MAX_VALUE,
          RejectedExecutionHandlers.reject(),
          MAX_TASK_MILLIS);
    }
  }

  /** Returns a builder of a server on these event loops, whose services run on them. */
  public NettyServerBuilder server(InetSocketAddress address) {
    return NettyServerBuilder.forAddress(address)
        .directExecutor()
        .channelFactory(() -> accepted.track(channel.newChannel()))
        .addTransportFilter(accepted)
        .bossEventLoopGroup(accepting)
        .workerEventLoopGroup(serving)
        .withChildOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_BUFFER_WATER_MARK)
        .withChildOption(ChannelOption.ALLOCATOR, BUFFER_ALLOCATOR)
        .withChildOption(
            ChannelOption.RECVBUF_ALLOCATOR, new InboundBytesLimit.ReadCounter(this::currentLimit))
        // HTTP/2's own limit would let clients wait without an error. GatewayStreamLimiter refuses
        // them.
        .maxConcurrentCallsPerConnection(Integer.MAX_VALUE)
        .maxInboundMessageSize(TransportSettings.MAX_INBOUND_BYTES)
        .maxInboundMetadataSize(TransportSettings.MAX_INBOUND_METADATA_BYTES)
        .handshakeTimeout(settings.handshake().toNanos(), TimeUnit.NANOSECONDS)
        .maxRstFramesPerWindow(MAX_RESETS, RESET_WINDOW_SECONDS)
        .permitKeepAliveTime(settings.permittedPing().toNanos(), TimeUnit.NANOSECONDS)
        .permitKeepAliveWithoutCalls(true)
        .keepAliveTime(settings.keepaliveTime().toNanos(), TimeUnit.NANOSECONDS)
        .keepAliveTimeout(settings.keepaliveTimeout().toNanos(), TimeUnit.NANOSECONDS);
  }

  /**
   * Returns the same with TLS.
   *
   * @throws IOException which names the unusable file and the cause
   */
  public NettyServerBuilder server(InetSocketAddress address, ServerTls.Files tls)
      throws IOException {
    return server(address).sslContext(new ServerTls(tls).context());
  }

  /** Returns a bootstrap of a server without gRPC on these event loops, for comparison. */
  public ServerBootstrap withoutGrpc() {
    return new ServerBootstrap()
        .group(accepting, serving)
        .channelFactory(channel)
        .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_BUFFER_WATER_MARK)
        .childOption(ChannelOption.ALLOCATOR, BUFFER_ALLOCATOR)
        .childOption(ChannelOption.TCP_NODELAY, true);
  }

  /** Returns the event loops. A connection stays on one of them until it is closed. */
  public List<EventLoop> loops() {
    return loops;
  }

  /**
   * Returns the index of the calling thread in {@link #loops}, with at most one comparison per
   * core.
   */
  int currentLoopIndex() {
    for (int i = 0; i < loops.size(); i++) {
      if (loops.get(i).inEventLoop()) {
        return i;
      }
    }
    throw new IllegalStateException("not on an event loop, but on " + Thread.currentThread());
  }

  /** Returns the limit of the calling thread, which is an event loop. */
  InboundBytesLimit currentLimit() {
    return limits.get(currentLoopIndex());
  }

  private LaneFlusher currentLaneFlusher() {
    return laneFlushers.get(currentLoopIndex());
  }

  /** Returns the lane flushers, one for each event loop, in the order of {@link #loops}. */
  List<LaneFlusher> laneFlushers() {
    return laneFlushers;
  }

  /** Returns the counts of responses to streams, with a lane or without, of all event loops. */
  LaneFlusher.Counts laneCounts() {
    LaneFlusher.Counts all = new LaneFlusher.Counts(0, 0, accepted.grpcResponses());
    for (LaneFlusher flusher : laneFlushers) {
      all = all.plus(flusher.counts());
    }
    return all;
  }

  /** Returns the memory of incomplete requests, in bytes. May be called from any thread. */
  long incompleteBytes() {
    return limits.stream().mapToLong(InboundBytesLimit::bytes).sum();
  }

  long incompleteBytesLimit() {
    return limits.size() * TransportSettings.MAX_INCOMPLETE_BYTES;
  }

  AcceptedConnections connections() {
    return accepted;
  }

  /** Ends the threads after their tasks, and waits for them. A second call does nothing. */
  @Override
  public void close() {
    accepted.close();
    for (EventLoopGroup group : List.of(accepting, serving)) {
      var _ =
          group.shutdownGracefully(
              0, TransportSettings.CLOSE_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }
    for (EventLoopGroup group : List.of(accepting, serving)) {
      group
          .terminationFuture()
          .awaitUninterruptibly(TransportSettings.CLOSE_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }
  }
}
