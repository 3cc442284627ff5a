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
 * Event loops of the transport, each with the {@link StreamLoop} of all streams of its connections.
 * A connection stays on its event loop until it is closed, so its streams do as well. Responses of
 * a loop are written by the thread that sends them, without a hand-over, and leave once the loop's
 * task ends.
 *
 * <p>Nothing may block on these threads. Thread-safe.
 */
final class EventLoops implements AutoCloseable {
  private final ServerTransport transport;
  private final List<StreamLoop> streamLoops = new ArrayList<>();

  /**
   * Creates event loops whose threads start with their first task.
   *
   * @param count number of loops, one per core
   */
  EventLoops(int count, TransportSettings settings, TimeSource time, FanoutMetrics metrics) {
    this.transport = new ServerTransport(count, settings);
    for (EventLoop loop : transport.loops()) {
      int number = streamLoops.size();
      Executor thread = transport.laneFlushers().get(number).executor(untilClosed(loop));
      streamLoops.add(new StreamLoop(number, thread, loop, time, metrics));
    }
  }

  /** Caches and timers may notify after the last stream has ended. Such tasks are dropped. */
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

  /** Returns the stream loop of the calling thread, which is an event loop. */
  StreamLoop currentLoop() {
    return streamLoops.get(transport.currentLoopIndex());
  }

  /** Returns the stream loops. */
  List<StreamLoop> streamLoops() {
    return List.copyOf(streamLoops);
  }

  /** Starts counting the request of the call that begins on the calling thread. */
  InboundBytesLimit.Request beginRequest() {
    return transport.currentLimit().beginRequest();
  }

  /** Starts counting the request of a call that was read elsewhere, and is complete. */
  InboundBytesLimit.Request beginReadRequest() {
    return transport.currentLimit().beginCounting();
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
