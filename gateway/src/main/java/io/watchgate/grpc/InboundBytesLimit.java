package io.watchgate.grpc;

import io.watchgate.fanout.ApiError;
import io.watchgate.fanout.QuotaViolation;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What the requests hold that have begun on one event loop and are not complete: a client may send
 * half of one and leave it so. Beyond the bound the connection that has had such a one for longest
 * loses those it has. Who sends a whole request in one go is never among them, so that nobody is
 * kept out by those who do not. Used on its loop only, but for {@link #bytes}.
 *
 * <p>Bytes are counted as they are read from the socket. gRPC would tell each call of its own, by a
 * {@code StreamTracer}; but it then asks that of every message that a stream is sent for as long as
 * it lives, which touches three objects more of each: a tenth of what a delivery costs to a
 * thousand streams.
 */
final class InboundBytesLimit {
  static final long MAX_BYTES = 16 << 20;

  private static final Duration RETRY = Duration.ofSeconds(1);

  /** In the order in which the first of theirs began. */
  private final SequencedSet<ConnectionInboundBytes> begun = new LinkedHashSet<>();

  private final AtomicLong bytes = new AtomicLong();

  /** Whose bytes are being dealt with. */
  private @Nullable ConnectionInboundBytes reading;

  void reading(ConnectionInboundBytes connection) {
    reading = connection;
  }

  void readingIsOver() {
    reading = null;
  }

  /**
   * Of the call that is being started. One that does not come with what is being read could hold
   * anything, and is counted so: what a handshake has held back.
   */
  RequestInboundBytes request() {
    ConnectionInboundBytes of = reading;
    return of == null
        ? new RequestInboundBytes(
            new ConnectionInboundBytes(this), ConnectionInboundBytes.MOST_BYTES)
        : new RequestInboundBytes(of, 0);
  }

  void begin(ConnectionInboundBytes connection) {
    begun.add(connection);
  }

  /** Of that nothing is incomplete any more. */
  void end(ConnectionInboundBytes connection) {
    begun.remove(connection);
  }

  /** Counts what one of them holds more, and refuses others for it, or itself. */
  void charge(long more) {
    bytes.addAndGet(more);
    while (bytes() > MAX_BYTES && !begun.isEmpty()) {
      begun.getFirst().refuse(refusal());
    }
  }

  void release(long less) {
    bytes.addAndGet(-less);
  }

  /** From any thread. */
  long bytes() {
    return bytes.get();
  }

  private ApiError refusal() {
    return ApiError.quota(
        new QuotaViolation("requests:bytes", "bytes of incomplete requests", MAX_BYTES, bytes()),
        RETRY,
        "this request was not complete when others needed its room. Send requests whole, and end"
            + " sending after them.");
  }
}
