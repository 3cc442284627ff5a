package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.netty.shaded.io.netty.channel.embedded.EmbeddedChannel;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Exception;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Stream;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests of streams of one connection that are reset, in virtual time. */
final class RapidResetLimitTest {
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final DefaultHttp2Connection connection = new DefaultHttp2Connection(true);
  private final EndedConnections ended = new EndedConnections("of a test");
  private long now = 1L << 40;
  private int next = 1;

  RapidResetLimitTest() {
    connection.addListener(new RapidResetLimit(connection, channel, ended, () -> now));
  }

  private Http2Stream open() throws Http2Exception {
    Http2Stream stream = connection.remote().createStream(next, false);
    next += 2;
    return stream;
  }

  private void later(Duration time) {
    now += time.toNanos();
  }

  @Test
  void streamsWithoutResponse_endTheConnectionBeyondTheLimit() throws Http2Exception {
    for (int i = 0; i < TransportSettings.MAX_RAPID_RESETS; i++) {
      open().close();
    }
    assertThat(ended.count()).isZero();

    open().close();

    assertThat(ended.count()).isOne();
  }

  @Test
  void streamsWithResponse_areNotCounted() throws Http2Exception {
    for (int i = 0; i < 10 * TransportSettings.MAX_RAPID_RESETS; i++) {
      open().headersSent(false).close();
    }
    assertThat(ended.count()).isZero();
  }

  @Test
  void fewerInEachWindow_areAllowedForEver() throws Http2Exception {
    for (int i = 0; i < 10 * TransportSettings.MAX_RAPID_RESETS; i++) {
      open().close();
      later(Duration.ofMillis(60));
    }
    assertThat(ended.count()).isZero();
  }

  /** For example, many clients behind a proxy stop waiting for an apiserver that hangs. */
  @Test
  void streamsThatWaitedForSeconds_areNotCounted() throws Http2Exception {
    Http2Stream[] waiting = new Http2Stream[10 * TransportSettings.MAX_RAPID_RESETS];
    for (int i = 0; i < waiting.length; i++) {
      waiting[i] = open();
    }
    later(Duration.ofSeconds(3));
    for (Http2Stream stream : waiting) {
      stream.close();
    }
    assertThat(ended.count()).isZero();
  }

  @Test
  void connectionThatIsClosed_countsNone() throws Http2Exception {
    Http2Stream[] open = new Http2Stream[2 * TransportSettings.MAX_RAPID_RESETS];
    for (int i = 0; i < open.length; i++) {
      open[i] = open();
    }
    var _ = channel.close();
    await().until(() -> !channel.isActive());
    for (Http2Stream stream : open) {
      stream.close();
    }
    assertThat(ended.count()).isZero();
  }
}
