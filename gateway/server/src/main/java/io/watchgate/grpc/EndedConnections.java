package io.watchgate.grpc;

import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Error;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Exception;
import io.watchgate.admission.ClientAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counter of connections that the gateway ended for one reason, logged at most every 10 s.
 * Thread-safe.
 */
final class EndedConnections {
  private static final Logger log = LoggerFactory.getLogger(EndedConnections.class);
  private static final long LOG_INTERVAL_NANOS = Duration.ofSeconds(10).toNanos();

  private final String reason;
  private final AtomicLong count = new AtomicLong();
  private final AtomicLong logged = new AtomicLong(System.nanoTime() - LOG_INTERVAL_NANOS);

  /**
   * @param reason text for the log, such as {@code streams were reset}
   */
  EndedConnections(String reason) {
    this.reason = reason;
  }

  /** Sends GOAWAY and closes the connection, after the current task of its event loop. */
  void close(Channel channel, String message) {
    channel
        .eventLoop()
        .execute(
            () ->
                channel
                    .pipeline()
                    .fireExceptionCaught(
                        Http2Exception.connectionError(Http2Error.ENHANCE_YOUR_CALM, message)));
    recordEnd(ClientAddress.text(ClientAddress.of(channel.remoteAddress())));
  }

  /**
   * Counts a connection that has ended.
   *
   * @param address address of the client
   */
  void recordEnd(String address) {
    long ended = count.incrementAndGet();
    long now = System.nanoTime();
    long last = logged.get();
    if (now - last >= LOG_INTERVAL_NANOS && logged.compareAndSet(last, now)) {
      log.info(
          "ended the connection of {}: {} ({} such connections so far)", address, reason, ended);
    }
  }

  long count() {
    return count.get();
  }
}
