package io.watchgate.grpc;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.ServerTransportFilter;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.ChannelPipeline;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Connection;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslHandler;
import java.net.SocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Open connections of a server. Each gets the two bounds that gRPC lacks: {@link UnansweredResets} and
 * {@link HeaderBlocks}. Thread-safe.
 */
final class AcceptedConnections extends ServerTransportFilter {
  private final ConcurrentMap<SocketAddress, Channel> channels = new ConcurrentHashMap<>();
  private final Supplier<IncompleteRequests> requests;
  private final EndedConnections endedForResets =
      new EndedConnections("streams were reset before they were answered");

  /**
   * @param requests of the calling thread, which is a loop
   */
  AcceptedConnections(Supplier<IncompleteRequests> requests) {
    this.requests = requests;
  }

  /** Notes each connection that the channel accepts. */
  ServerChannel follow(ServerChannel channel) {
    channel.pipeline().addLast(new Acceptor());
    return channel;
  }

  /** Handler of a listening channel, which reads connections. */
  private final class Acceptor extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof Channel connection) {
        @Nullable SocketAddress remote = connection.remoteAddress();
        if (remote != null) { // null: it is closed again already
          channels.put(remote, connection);
          connection.closeFuture().addListener(_ -> channels.remove(remote, connection));
          connection.pipeline().addLast(new Connected());
        }
      }
      context.fireChannelRead(message);
    }
  }

  /** Handler of a connection until gRPC has set it up; no byte was read then. */
  private final class Connected extends ChannelInboundHandlerAdapter {
    @Override
    public void channelActive(ChannelHandlerContext context) {
      context.fireChannelActive();
      ChannelPipeline pipeline = context.pipeline();
      ChannelHandlerContext tls = pipeline.context(SslHandler.class);
      ChannelHandlerContext http2 = pipeline.context(Http2ConnectionHandler.class);
      if (tls != null) {
        pipeline.addAfter(tls.name(), null, new HeaderBlocks(requests.get()));
      } else if (http2 != null) {
        pipeline.addBefore(http2.name(), null, new HeaderBlocks(requests.get()));
      }
      pipeline.remove(this);
    }
  }

  /** Called with the first SETTINGS, before which no stream begins. */
  @Override
  public Attributes transportReady(Attributes attributes) {
    SocketAddress remote = attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    Channel channel = remote == null ? null : channels.get(remote);
    if (channel == null) {
      return attributes; // it is closed again already
    }
    ChannelPipeline pipeline = channel.pipeline();
    Http2Connection connection = pipeline.get(Http2ConnectionHandler.class).connection();
    UnansweredResets resets =
        new UnansweredResets(connection, channel, endedForResets, System::nanoTime);
    connection.addListener(resets);
    pipeline.get(HeaderBlocks.class).tell(resets);
    return attributes;
  }

  int open() {
    return channels.size();
  }

  long closedForResets() {
    return endedForResets.count();
  }
}
