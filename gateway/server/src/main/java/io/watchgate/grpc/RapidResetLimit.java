package io.watchgate.grpc;

import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Connection;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Stream;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Limit on the streams of one connection that end before they got a response and soon after they
 * began (rapid reset, {@link TransportSettings#MAX_RAPID_RESETS}). Above it the connection is
 * closed. It counts HTTP/2 events: resets by the client, client errors for which the server resets
 * a stream, and headers that are too broken to begin a stream. Streams that got a response may be
 * reset at any rate. So may streams that waited some seconds for it: other clients may share the
 * connection, behind a proxy. Used on the connection's event loop.
 */
final class RapidResetLimit extends Http2ConnectionAdapter {
  /** A stream that is open for two of these intervals is not reset rapidly. */
  private static final long INTERVAL_NANOS = Duration.ofSeconds(1).toNanos();

  private final Http2Connection connection;
  private final Channel channel;
  private final EndedConnections ended;
  private final LongSupplier nanoTime;
  private long windowStart;
  private long inWindow;
  private boolean over;

  /** Identifier of the newest stream; identifiers grow. */
  private int newest;

  /** Newest stream at {@link #markTime}. */
  private int mark;

  /** Newest stream that has certainly been open for one interval. */
  private int settled;

  private long markTime;

  /** Streams that began. */
  private long begun;

  /** Streams that were to begin and did not. */
  private long failed;

  RapidResetLimit(
      Http2Connection connection, Channel channel, EndedConnections ended, LongSupplier nanoTime) {
    this.connection = connection;
    this.channel = channel;
    this.ended = ended;
    this.nanoTime = nanoTime;
    this.markTime = nanoTime.getAsLong();
    this.windowStart = markTime;
  }

  @Override
  public void onStreamActive(Http2Stream stream) {
    advance(nanoTime.getAsLong());
    newest = stream.id();
    begun++;
  }

  /**
   * Counts the streams that were to begin and did not. After GOAWAY no stream begins, which is not
   * counted.
   *
   * @param streams streams that were to begin on this connection so far
   */
  void recordRequested(long streams) {
    long missing = streams - begun;
    if (missing > failed) {
      long more = missing - failed;
      failed = missing;
      if (!connection.goAwaySent()) {
        count(more);
      }
    }
  }

  @Override
  public void onStreamClosed(Http2Stream stream) {
    if (over || stream.isHeadersSent() || !channel.isActive()) {
      return;
    }
    advance(nanoTime.getAsLong());
    if (stream.id() > settled) {
      count(1);
    }
  }

  private void count(long more) {
    long now = nanoTime.getAsLong();
    if (now - windowStart > TransportSettings.RAPID_RESET_WINDOW.toNanos()) {
      windowStart = now;
      inWindow = 0;
    }
    inWindow += more;
    if (inWindow > TransportSettings.MAX_RAPID_RESETS && !over) {
      over = true;
      ended.close(
          channel,
          "more than %d streams of this connection were reset before they were answered, within %d s"
              .formatted(
                  TransportSettings.MAX_RAPID_RESETS,
                  TransportSettings.RAPID_RESET_WINDOW.toSeconds()));
    }
  }

  private void advance(long now) {
    long since = now - markTime;
    if (since >= INTERVAL_NANOS) {
      settled = since >= 2 * INTERVAL_NANOS ? newest : mark;
      mark = newest;
      markTime = now;
    }
  }
}
