package io.watchgate.bench;

import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Event loops of the readers, and connections whose calls run only on these event loops. Each event
 * loop is an {@link EventLoopGroup} of its own. gRPC asks a group twice for a thread per
 * connection, so that all connections would use the second thread of a group of two. Thread-safe.
 */
final class BenchEventLoops {
  static final String THREADS = "bench-read";

  private final BenchTarget target;
  private final OptionalInt window;
  private final List<EventLoopGroup> loops;
  private final AtomicInteger channels = new AtomicInteger();
  private final CountDownLatch resumed = new CountDownLatch(1);

  /**
   * @param window HTTP/2 window of each stream and connection in bytes; empty: gRPC's default,
   *     which grows while a stream receives much data at a time
   */
  BenchEventLoops(BenchTarget target, OptionalInt window, int threads) {
    this(target, window, threads, new DefaultThreadFactory(THREADS, true));
  }

  private BenchEventLoops(
      BenchTarget target, OptionalInt window, int threads, ThreadFactory factory) {
    this.target = target;
    this.window = window;
    this.loops =
        Stream.<EventLoopGroup>generate(
                () -> new MultiThreadIoEventLoopGroup(1, factory, NioIoHandler.newFactory()))
            .limit(threads)
            .toList();
  }

  /** Returns event loops whose threads run only on otherwise idle processors. */
  static BenchEventLoops idle(BenchTarget target, OptionalInt window, int threads) {
    ThreadFactory factory = new DefaultThreadFactory(THREADS, true);
    return new BenchEventLoops(
        target, window, threads, task -> factory.newThread(IdlePriority.of(task)));
  }

  /** Returns a new channel, which connects on first use. */
  ManagedChannel channel() {
    NettyChannelBuilder channel =
        NettyChannelBuilder.forAddress(target.host(), target.port(), target.credentials())
            .eventLoopGroup(loops.get(channels.getAndIncrement() % loops.size()))
            .channelType(NioSocketChannel.class)
            .directExecutor()
            .disableRetry();
    target.serverName().ifPresent(channel::overrideAuthority);
    window.ifPresent(channel::flowControlWindow);
    return channel.build();
  }

  /**
   * Waits until the channel is connected. A call that had to wait for the connection would receive
   * its responses on another thread.
   *
   * @throws IOException with a one-line message, if the connection cannot be made in time
   */
  void connect(ManagedChannel channel, long atMostNanos) throws IOException, InterruptedException {
    long begin = System.nanoTime();
    ConnectivityState state = channel.getState(true);
    while (state != ConnectivityState.READY) {
      if (state == ConnectivityState.TRANSIENT_FAILURE || state == ConnectivityState.SHUTDOWN) {
        throw new IOException("cannot connect to " + target + "; is a gateway there?");
      }
      long left = atMostNanos - (System.nanoTime() - begin);
      CountDownLatch changed = new CountDownLatch(1);
      channel.notifyWhenStateChanged(state, changed::countDown);
      if (left <= 0 || !changed.await(left, TimeUnit.NANOSECONDS)) {
        throw new IOException("no connection to " + target + " in time");
      }
      state = channel.getState(true);
    }
  }

  /** Stops reading on all connections until {@link #resume} or {@link #shutdown}. */
  void stall() {
    loops.forEach(
        loop ->
            loop.execute(
                () -> {
                  try {
                    resumed.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                }));
  }

  /** Resumes reading after {@link #stall}. */
  void resume() {
    resumed.countDown();
  }

  /** Shuts the event loops down and waits for their threads. */
  void shutdown() throws InterruptedException {
    resume();
    for (EventLoopGroup loop : loops) {
      var _ = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
    for (EventLoopGroup loop : loops) {
      loop.terminationFuture().await(2, TimeUnit.SECONDS);
    }
  }
}
