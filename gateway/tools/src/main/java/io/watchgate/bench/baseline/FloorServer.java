package io.watchgate.bench.baseline;

import io.grpc.netty.shaded.io.netty.bootstrap.ServerBootstrap;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelInitializer;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * ListAndWatch with hand-made frames of HTTP/2, without gRPC: for the load of {@code watchgate
 * bench} only. It serves no other method, reads no header, and needs clients whose windows have
 * room for a snapshot's largest response ({@link FloorConnection#LEAST_WINDOW}).
 */
final class FloorServer implements AutoCloseable {
  private final Channel listening;

  /**
   * Starts serving.
   *
   * @param bootstrap bootstrap with the event loops
   * @throws IOException if the address cannot be bound
   */
  FloorServer(
      BaselineUpstream upstream,
      ServerBootstrap bootstrap,
      InetSocketAddress address,
      List<EventLoop> loops,
      int batch)
      throws IOException {
    Topics<Topic> topics =
        new Topics<>(upstream, resources -> new Topic(upstream, resources, loops, batch));
    bootstrap.childHandler(
        new ChannelInitializer<Channel>() {
          @Override
          protected void initChannel(Channel channel) {
            channel.pipeline().addLast(new FloorConnection(topics, batch));
          }
        });
    try {
      listening = bootstrap.bind(address).sync().channel();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  int port() {
    return ((InetSocketAddress) listening.localAddress()).getPort();
  }

  @Override
  public void close() {
    var _ = listening.close().awaitUninterruptibly();
  }
}
