package io.watchgate.grpc;

import io.watchgate.fanout.ApiError;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One call, from its beginning until the client has said that its request was all. gRPC keeps a
 * message as it came until then, so that it holds the call, and what its {@link
 * ConnectionInboundBytes} was read. On the call's loop.
 */
final class RequestInboundBytes {
  /** A call with its headers without a token: up to 8 KiB, usually a tenth. */
  private static final int CALL_BYTES = 2 << 10;

  private final ConnectionInboundBytes connection;
  private @Nullable Consumer<ApiError> whenRefused;
  private long bytes;
  private boolean ended;

  /** Why, where nobody could be told yet. */
  private @Nullable ApiError refused;

  /**
   * @param unseenBytes that it may hold and nobody will tell
   */
  RequestInboundBytes(ConnectionInboundBytes connection, long unseenBytes) {
    this.connection = connection;
    this.bytes = CALL_BYTES + unseenBytes;
    connection.begin(this, bytes);
  }

  /** It holds that many bytes more. */
  void grow(long more) {
    if (!ended) {
      bytes += more;
      connection.grow(more);
    }
  }

  /** What ends the call if its request has to go before it is complete. */
  void whenRefused(Consumer<ApiError> end) {
    ApiError already = refused;
    if (already != null) {
      end.accept(already);
    } else if (!ended) {
      whenRefused = end;
    }
  }

  /** The client has sent all of it, or is gone. A second call is none. */
  void complete() {
    if (!ended) {
      ended = true;
      whenRefused = null;
      connection.end(this, bytes);
    }
  }

  void refuse(ApiError refusal) {
    Consumer<ApiError> end = whenRefused;
    complete();
    if (end != null) {
      end.accept(refusal);
    } else {
      refused = refusal;
    }
  }
}
