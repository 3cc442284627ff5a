package io.watchgate.grpc;

import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
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
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Event loops, and everything that gRPC and Netty are told about connections and streams. It is
 * here, apart from what is served, so that a server to measure against has the very same.
 * Thread-safe.
 */
public final class ServerTransport implements AutoCloseable {
  /** When a stream is ready. */
  public static final int READY_BYTES = ResponseSink.READY_BYTES;

  /**
   * How long tasks may keep a loop from its sockets, checked after every 64 of them. Netty's own
   * 1,000 ms are for tasks that come from outside; streams that look through much for little post
   * themselves again and would use them up.
   */
  private static final int TASKS_MS = 10;

  /**
   * How much one flush may hand to a socket. Netty's 32 to 64 KiB cut what a change sends over one
   * connection into three writes where 100 streams of it get 1 KiB each; with this it is one. What
   * waits for a slow socket is bounded by the streams' own thresholds, wherever it waits; but what
   * is handed over goes out in order, so a small change is behind as much of others' snapshots.
   */
  private static final WriteBufferWaterMark FLUSHED =
      new WriteBufferWaterMark(128 << 10, 256 << 10);

  /**
   * A change becomes as many buffers as it has readers, all of them alive until their flush: more
   * than the pooled allocator that gRPC sets keeps at hand for a thread, so it looked for and gave
   * back places in its chunks (15 % of the time of a change for 1,000 streams). This one takes them
   * one behind the other from a chunk of the thread: {@code watchgate compare paced} has the
   * difference, a fifth of the CPU. One for the process, as its memory is bounded by what is alive.
   */
  private static final ByteBufAllocator BUFFERS = new AdaptiveByteBufAllocator(true);

  /**
   * How often a connection is read before the next has its turn, and all of them before what is to
   * be sent: a few requests. Thousands of them may come at once, from clients that lost another
   * replica; with Netty's own 16 reads of up to 64 KiB a loop began all of them before it sent
   * anybody a change.
   */
  static final int READS_IN_A_TURN = 1;

  /** How much one read takes; see {@link #READS_IN_A_TURN}. */
  static final int READ_BYTES = 2 << 10;

  /**
   * What the transport takes of a request, so that beyond {@link RequestMarshaller#MAX_BYTES} it
   * can be refused with a reason; as much as {@link InboundBytesLimit}, which bounds what all
   * requests hold that are not complete, has room for. What is larger yet is refused by the
   * transport, without one.
   */
  static final int MAX_INBOUND_BYTES = 5 << 18;

  /**
   * Size of a call's metadata, as HTTP/2 counts it, that the transport takes. A call with more than
   * {@link CallMetadata} allows is then refused with a reason. Above this size the transport
   * refuses it without one; from a quarter more on it closes the connection.
   */
  static final int MAX_METADATA_BYTES = 1 << 20;

  /**
   * gRPC counts all resets, also of streams that got their response. {@link RapidResetLimit} has
   * the limit that matters; this one is for resets of streams that never began, by broken headers.
   */
  private static final int MAX_RESETS = 100_000;

  private static final int RESET_WINDOW_SECONDS = 10;

  private static final int CLOSE_SECONDS = 5;

  private final TransportSettings settings;
  private final ChannelFactory<ServerChannel> channel;
  private final AcceptedConnections accepted;
  private final EventLoopGroup accepting;
  private final EventLoopGroup serving;
  private final List<EventLoop> loops;
  private final List<InboundBytesLimit> requests = new ArrayList<>();

  /**
   * Starts no thread before it is used.
   *
   * @param count how many loops; as many as there are cores
   */
  public ServerTransport(int count) {
    this(count, TransportSettings.DEFAULTS);
  }

  ServerTransport(int count, TransportSettings settings) {
    this.settings = settings;
    this.accepted = new AcceptedConnections(settings, this::requests);
    boolean epoll = Epoll.isAvailable();
    IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    this.channel = epoll ? EpollServerSocketChannel::new : NioServerSocketChannel::new;
    this.accepting = new Group(1, "grpc-accept", io);
    this.serving = new Group(count, "grpc-loop", io);
    List<EventLoop> all = new ArrayList<>();
    for (EventExecutor executor : serving) {
      all.add((EventLoop) executor);
      requests.add(new InboundBytesLimit());
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
          this, executor, io, Integer.MAX_VALUE, RejectedExecutionHandlers.reject(), TASKS_MS);
    }
  }

  /** A server on these loops, whose services run on them. */
  public NettyServerBuilder server(InetSocketAddress address) {
    return NettyServerBuilder.forAddress(address)
        .directExecutor()
        .channelFactory(() -> accepted.follow(channel.newChannel()))
        .addTransportFilter(accepted)
        .bossEventLoopGroup(accepting)
        .workerEventLoopGroup(serving)
        .withChildOption(ChannelOption.WRITE_BUFFER_WATER_MARK, FLUSHED)
        .withChildOption(ChannelOption.ALLOCATOR, BUFFERS)
        .withChildOption(ChannelOption.RECVBUF_ALLOCATOR, new CountingRecvAllocator(this::requests))
        // HTTP/2's own limit would let clients wait in silence; StreamPlaces says no.
        .maxConcurrentCallsPerConnection(Integer.MAX_VALUE)
        .maxInboundMessageSize(MAX_INBOUND_BYTES)
        .maxInboundMetadataSize(MAX_METADATA_BYTES)
        .handshakeTimeout(settings.handshake().toNanos(), TimeUnit.NANOSECONDS)
        .maxRstFramesPerWindow(MAX_RESETS, RESET_WINDOW_SECONDS)
        .permitKeepAliveTime(settings.permittedPing().toNanos(), TimeUnit.NANOSECONDS)
        .permitKeepAliveWithoutCalls(true)
        .keepAliveTime(settings.keepaliveTime().toNanos(), TimeUnit.NANOSECONDS)
        .keepAliveTimeout(settings.keepaliveTimeout().toNanos(), TimeUnit.NANOSECONDS);
  }

  /** On one of which each connection stays for life. */
  public List<EventLoop> loops() {
    return loops;
  }

  /**
   * Position among {@link #loops} of the calling thread. As many comparisons as there are cores.
   */
  int index() {
    for (int i = 0; i < loops.size(); i++) {
      if (loops.get(i).inEventLoop()) {
        return i;
      }
    }
    throw new IllegalStateException("not on an event loop, but on " + Thread.currentThread());
  }

  /** Of the calling thread, which is a loop. */
  InboundBytesLimit requests() {
    return requests.get(index());
  }

  /** What requests hold that are not complete, in bytes. From any thread. */
  long incompleteBytes() {
    return requests.stream().mapToLong(InboundBytesLimit::bytes).sum();
  }

  long incompleteBytesLimit() {
    return requests.size() * InboundBytesLimit.MAX_BYTES;
  }

  AcceptedConnections connections() {
    return accepted;
  }

  /**
   * Ends the threads once what they have to do is done, and waits for it. A second call is none.
   */
  @Override
  public void close() {
    accepted.close();
    for (EventLoopGroup group : List.of(accepting, serving)) {
      var _ = group.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS);
    }
    for (EventLoopGroup group : List.of(accepting, serving)) {
      group.terminationFuture().awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
  }
}
