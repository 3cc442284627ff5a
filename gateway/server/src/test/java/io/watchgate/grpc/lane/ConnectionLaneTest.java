package io.watchgate.grpc.lane;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.netty.shaded.io.netty.channel.ChannelHandler;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.embedded.EmbeddedChannel;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2RemoteFlowController;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Connection;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2ConnectionHandlerBuilder;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Exception;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2FrameAdapter;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Stream;
import java.time.Duration;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of connections on which the lane is installed, or cannot be. */
final class ConnectionLaneTest {
  private static @Nullable ConnectionLane attach(ChannelHandler handler) {
    EmbeddedChannel channel = new EmbeddedChannel(handler);
    try {
      return ConnectionLane.attach(
          channel.pipeline().context(handler),
          new LaneFlusher(),
          new PingFilter(Duration.ofSeconds(5), System::nanoTime));
    } finally {
      var _ = channel.close();
    }
  }

  private static ChannelHandler http2(Http2Connection connection) {
    return new Http2ConnectionHandlerBuilder()
        .connection(connection)
        .frameListener(new Http2FrameAdapter())
        .build();
  }

  @Test
  void attach_handlerOfNetty_returnsLane() {
    assertThat(attach(http2(new DefaultHttp2Connection(true)))).isNotNull();
  }

  @Test
  void attach_anotherHandler_returnsNull() {
    assertThat(attach(new ChannelInboundHandlerAdapter())).isNull();
  }

  /** Netty does not document that increments may be negative. */
  @Test
  void attach_flowControllerRefusesNegativeIncrements_returnsNull() {
    assertThat(
            attach(
                withIncrements(
                    delta -> {
                      if (delta < 0) {
                        throw new IllegalArgumentException("negative: " + delta);
                      }
                      return delta;
                    })))
        .isNull();
  }

  /** It must not be used if it ignores what it is charged. */
  @Test
  void attach_flowControllerIgnoresNegativeIncrements_returnsNull() {
    assertThat(attach(withIncrements(delta -> Math.max(0, delta)))).isNull();
  }

  /** Returns a handler whose flow controller changes the increments of windows. */
  private static ChannelHandler withIncrements(IntUnaryOperator change) {
    Http2Connection connection = new DefaultHttp2Connection(true);
    connection
        .remote()
        .flowController(
            new DefaultHttp2RemoteFlowController(connection) {
              @Override
              public void incrementWindowSize(Http2Stream stream, int delta) throws Http2Exception {
                super.incrementWindowSize(stream, change.applyAsInt(delta));
              }
            });
    return http2(connection);
  }
}
