package io.watchgate.grpc;

import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
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
import io.watchgate.cache.TimeSource;
import io.watchgate.feed.FeedMetrics;
import io.watchgate.feed.Owner;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The transport's event loops, each of which is also the {@link Owner} of all streams whose
 * connections live on it. A connection stays on its loop for life, so a stream does as well; what
 * an owner sends is then written by the thread that sends it, without a hand-over, and leaves with
 * one flush per connection and 128 responses once the owner's task ends.
 *
 * <p>Nothing may block here. Thread-safe.
 */
final class EventLoops implements AutoCloseable {
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

  private static final int CLOSE_SECONDS = 5;

  private final Class<? extends ServerChannel> channel;
  private final EventLoopGroup accepting;
  private final EventLoopGroup serving;
  private final List<EventLoop> loops = new ArrayList<>();
  private final List<Owner> owners = new ArrayList<>();
  private final List<IncompleteRequests> requests = new ArrayList<>();

  /**
   * Starts no thread before it is used.
   *
   * @param count how many loops; as many as there are cores
   */
  EventLoops(int count, TimeSource time, FeedMetrics metrics) {
    boolean epoll = Epoll.isAvailable();
    IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    this.channel = epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    this.accepting = new Group(1, "grpc-accept", io);
    this.serving = new Group(count, "grpc-loop", io);
    for (EventExecutor executor : serving) {
      EventLoop loop = (EventLoop) executor;
      owners.add(new Owner(loops.size(), untilClosed(loop), loop, time, metrics));
      requests.add(new IncompleteRequests());
      loops.add(loop);
    }
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

  /** Caches and timers may have news after the last stream is gone: there is nobody to tell. */
  private static Executor untilClosed(EventLoop loop) {
    return task -> {
      try {
        loop.execute(task);
      } catch (RejectedExecutionException e) {
        if (!loop.isShuttingDown()) {
          throw e;
        }
      }
    };
  }

  void serve(NettyServerBuilder server) {
    server
        .addStreamTracerFactory(
            new ServerStreamTracer.Factory() {
              @Override
              public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
                return incoming();
              }
            })
        .channelType(channel)
        .bossEventLoopGroup(accepting)
        .workerEventLoopGroup(serving)
        .withChildOption(ChannelOption.WRITE_BUFFER_WATER_MARK, FLUSHED);
  }

  /** The owner of the connection whose callback this is. */
  Owner current() {
    return owners.get(index());
  }

  /** Of the call that begins on the calling thread. */
  private IncomingRequest incoming() {
    return new IncomingRequest(requests.get(index()));
  }

  /** As many comparisons as there are cores, twice a stream. */
  private int index() {
    for (int i = 0; i < loops.size(); i++) {
      if (loops.get(i).inEventLoop()) {
        return i;
      }
    }
    throw new IllegalStateException("not on an event loop, but on " + Thread.currentThread());
  }

  /**
   * Ends the threads once what they have to do is done, and waits for it. A second call is none.
   */
  @Override
  public void close() {
    for (EventLoopGroup group : List.of(accepting, serving)) {
      var _ = group.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS);
    }
    for (EventLoopGroup group : List.of(accepting, serving)) {
      group.terminationFuture().awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
  }
}
