package io.watchgate.client;

import io.grpc.netty.shaded.io.netty.bootstrap.ServerBootstrap;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.ChannelInitializer;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.SocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Headers;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2HeadersFrame;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** HTTP/2 server that answers as proxies do: with an HTTP status and without gRPC. */
@SuppressWarnings("FutureReturnValueIgnored") // of failed writes
final class BareServer implements AutoCloseable {
  private static final String BODY = "<html>the body of a proxy's page</html>";

  private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Channel listening;
  private volatile Http2Headers answer = new DefaultHttp2Headers();

  BareServer() throws InterruptedException {
    listening =
        new ServerBootstrap()
            .group(loop)
            .channel(NioServerSocketChannel.class)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    channel
                        .pipeline()
                        .addLast(Http2FrameCodecBuilder.forServer().build(), new Answering());
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .sync()
            .channel();
  }

  int port() {
    return ((InetSocketAddress) listening.localAddress()).getPort();
  }

  /** Answers with a page from now on. */
  void answer(int status, String contentType) {
    answer =
        new DefaultHttp2Headers().status(Integer.toString(status)).add("content-type", contentType);
  }

  /** Answers with a bare gRPC status from now on, as Envoy does. */
  void answerGrpc(int code) {
    answer =
        new DefaultHttp2Headers()
            .status("200")
            .add("content-type", "application/grpc")
            .add("grpc-status", Integer.toString(code))
            .add("grpc-message", "no healthy upstream");
  }

  private final class Answering extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object frame) {
      if (frame instanceof Http2HeadersFrame request) {
        boolean isGrpc = answer.contains("grpc-status");
        context.write(new DefaultHttp2HeadersFrame(answer, isGrpc).stream(request.stream()));
        if (!isGrpc) {
          context.write(
              new DefaultHttp2DataFrame(
                      Unpooled.copiedBuffer(BODY, StandardCharsets.US_ASCII), true)
                  .stream(request.stream()));
        }
        context.flush();
      }
    }
  }

  @Override
  public void close() {
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
