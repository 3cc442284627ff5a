package io.watchgate.grpc;

import io.watchgate.error.ApiError;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Memory of one call from its beginning until the client has sent its complete request. gRPC keeps
 * a message unparsed until then, so the request keeps the call and the read buffers of its {@link
 * ConnectionInboundBytes} alive. Used on the call's event loop.
 */
final class RequestInboundBytes {
  /** Memory of a call with its headers without a token: up to 8 KiB, usually a tenth. */
  private static final int CALL_BYTES = 2 << 10;

  private final ConnectionInboundBytes connection;
  private @Nullable Consumer<ApiError> onRefused;
  private long bytes;
  private boolean ended;

  /** Reason of a refusal before {@link #onRefused} was called. */
  private @Nullable ApiError refused;

  /**
   * @param unseenBytes memory that the request may have without a read being counted
   */
  RequestInboundBytes(ConnectionInboundBytes connection, long unseenBytes) {
    this.connection = connection;
    this.bytes = CALL_BYTES + unseenBytes;
    connection.begin(this, bytes);
  }

  /** Counts {@code more} bytes for this request. */
  void grow(long more) {
    if (!ended) {
      bytes += more;
      connection.grow(more);
    }
  }

  /** Sets the action that ends the call if its request is refused before it is complete. */
  void onRefused(Consumer<ApiError> end) {
    ApiError already = refused;
    if (already != null) {
      end.accept(already);
    } else if (!ended) {
      onRefused = end;
    }
  }

  /**
   * Ends counting: the client has sent the complete request, or is gone. A second call does
   * nothing.
   */
  void complete() {
    if (!ended) {
      ended = true;
      onRefused = null;
      connection.end(this, bytes);
    }
  }

  void refuse(ApiError refusal) {
    Consumer<ApiError> end = onRefused;
    complete();
    if (end != null) {
      end.accept(refusal);
    } else {
      refused = refusal;
    }
  }
}
