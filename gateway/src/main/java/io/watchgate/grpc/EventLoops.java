package io.watchgate.grpc;

import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.watchgate.cache.TimeSource;
import io.watchgate.fanout.FanoutMetrics;
import io.watchgate.fanout.StreamLoop;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * The transport's event loops, each of which is also the {@link StreamLoop} of all streams whose
 * connections live on it. A connection stays on its loop for life, so a stream does as well; what
 * an owner sends is then written by the thread that sends it, without a hand-over, and leaves with
 * one flush per connection and 128 responses once the owner's task ends.
 *
 * <p>Nothing may block here. Thread-safe.
 */
final class EventLoops implements AutoCloseable {
  private final ServerTransport transport;
  private final List<StreamLoop> owners = new ArrayList<>();

  /**
   * Starts no thread before it is used.
   *
   * @param count how many loops; as many as there are cores
   */
  EventLoops(int count, TransportSettings settings, TimeSource time, FanoutMetrics metrics) {
    this.transport = new ServerTransport(count, settings);
    for (EventLoop loop : transport.loops()) {
      owners.add(new StreamLoop(owners.size(), untilClosed(loop), loop, time, metrics));
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

  /** See {@link ServerTransport#server}. */
  NettyServerBuilder server(InetSocketAddress address) {
    return transport.server(address);
  }

  /** The owner of the connection whose callback this is. */
  StreamLoop current() {
    return owners.get(transport.index());
  }

  /** Of the call that begins on the calling thread. */
  RequestInboundBytes incoming() {
    return transport.requests().request();
  }

  ServerTransport transport() {
    return transport;
  }

  /** See {@link ServerTransport#close}. */
  @Override
  public void close() {
    transport.close();
  }
}
