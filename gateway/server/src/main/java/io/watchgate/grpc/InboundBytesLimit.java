package io.watchgate.grpc;

import io.watchgate.error.LimitErrors;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Limit on the memory of incomplete requests of one event loop, since a client may send half a
 * request and stop. Above the limit the connection that has had an incomplete request for the
 * longest time loses all its incomplete requests. A request that arrives in one piece is complete
 * at once, so clients that send complete requests are never refused because of clients that do not.
 * Used on its event loop only, except {@link #bytes}.
 *
 * <p>Bytes are counted as they are read from the socket. Rejected: a {@code StreamTracer} of gRPC,
 * which would attribute bytes to calls. gRPC then also calls it for every message that a stream
 * sends, which touches three more objects per message (see docs/performance.md).
 */
final class InboundBytesLimit {
  static final long MAX_BYTES = 16 << 20;

  /** Connections with incomplete requests, in the order in which their first one began. */
  private final SequencedSet<ConnectionInboundBytes> incomplete = new LinkedHashSet<>();

  private final AtomicLong bytes = new AtomicLong();

  /** Connection whose bytes are being processed. */
  private @Nullable ConnectionInboundBytes currentConnection;

  void beginRead(ConnectionInboundBytes connection) {
    currentConnection = connection;
  }

  void endRead() {
    currentConnection = null;
  }

  /**
   * Starts counting the request of the call that is being started. A call outside of a read could
   * have any size, because its bytes were retained during a handshake. It is counted with the
   * largest size.
   */
  RequestInboundBytes beginRequest() {
    ConnectionInboundBytes of = currentConnection;
    return of == null
        ? new RequestInboundBytes(
            new ConnectionInboundBytes(this), ConnectionInboundBytes.MAX_REQUEST_BYTES)
        : new RequestInboundBytes(of, 0);
  }

  void begin(ConnectionInboundBytes connection) {
    incomplete.add(connection);
  }

  /** Removes a connection that has no incomplete request any more. */
  void end(ConnectionInboundBytes connection) {
    incomplete.remove(connection);
  }

  /**
   * Counts more memory. Above the limit it refuses incomplete requests of other connections, or of
   * the same one.
   */
  void charge(long more) {
    bytes.addAndGet(more);
    while (bytes() > MAX_BYTES && !incomplete.isEmpty()) {
      incomplete.getFirst().refuse(LimitErrors.incompleteRequests(MAX_BYTES, bytes()));
    }
  }

  void release(long less) {
    bytes.addAndGet(-less);
  }

  /** Returns the counted bytes. May be called from any thread. */
  long bytes() {
    return bytes.get();
  }
}
