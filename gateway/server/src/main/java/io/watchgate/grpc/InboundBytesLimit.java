package io.watchgate.grpc;

import io.grpc.netty.shaded.io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.grpc.netty.shaded.io.netty.channel.RecvByteBufAllocator;
import io.watchgate.error.ApiError;
import io.watchgate.error.LimitErrors;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Limit on the memory of incomplete requests of one event loop ({@link
 * TransportSettings#MAX_INCOMPLETE_BYTES}), since a client may send half a request and stop. Above
 * the limit the connection that has had an incomplete request for the longest time loses all its
 * incomplete requests. A request that arrives in one piece is complete at once, so clients that
 * send complete requests are never refused because of clients that do not. Used on its event loop
 * only, except {@link #bytes}.
 *
 * <p>Bytes are counted as they are read from the socket, by {@link ReadCounter}. Rejected: a {@code
 * StreamTracer} of gRPC, which would attribute bytes to calls. gRPC then also calls it for every
 * message that a stream sends, which touches three more objects per message (see
 * docs/explanation/measurements.md).
 */
final class InboundBytesLimit {
  /**
   * Bytes of memory per byte read, in addition to the buffer that it was read into. A frame of ten
   * bytes is one object for gRPC and one for Netty, 80 bytes together with their entries in two
   * queues.
   */
  private static final int FRAMES_FACTOR = 8;

  /**
   * Assumed memory of a call and its headers, without the token. Headers may have 8 KiB; usually
   * they have a tenth of that.
   */
  private static final int CALL_BYTES = 2 << 10;

  /** Upper bound of the memory of one request, if it is read in full buffers. */
  private static final long MAX_REQUEST_BYTES =
      (1 + FRAMES_FACTOR) * (long) TransportSettings.MAX_INBOUND_BYTES;

  /** Connections with incomplete requests, in the order in which their first one began. */
  private final SequencedSet<Connection> incomplete = new LinkedHashSet<>();

  private final AtomicLong bytes = new AtomicLong();

  /** Connection whose bytes are being processed. */
  private @Nullable Connection currentConnection;

  /**
   * Starts counting the request of the call that is being started. A call that starts outside of a
   * read has bytes that were retained during a handshake; their number is unknown, so the maximum
   * is counted.
   */
  Request beginRequest() {
    Connection of = currentConnection;
    return of == null ? new Connection().begin(MAX_REQUEST_BYTES) : of.begin(0);
  }

  /**
   * Starts counting a request that is read elsewhere; its reader reports bytes by {@link
   * Request#grow}.
   */
  Request beginCounting() {
    return new Connection().begin(0);
  }

  /**
   * Counts more memory. Above the limit it refuses incomplete requests of other connections, or of
   * the same one.
   */
  private void charge(long more) {
    bytes.addAndGet(more);
    while (bytes() > TransportSettings.MAX_INCOMPLETE_BYTES && !incomplete.isEmpty()) {
      incomplete
          .getFirst()
          .refuse(LimitErrors.incompleteRequests(TransportSettings.MAX_INCOMPLETE_BYTES, bytes()));
    }
  }

  /** Returns the counted bytes. May be called from any thread. */
  long bytes() {
    return bytes.get();
  }

  /**
   * Bytes of the incomplete requests of one connection. Bytes cannot be attributed to a request
   * before it is complete. So all bytes read from the connection are counted while any request is
   * incomplete, and released once none is.
   */
  private final class Connection {
    private final SequencedSet<Request> requests = new LinkedHashSet<>();

    /** Counted memory of the bytes that were read. */
    private long readBytes;

    /** Memory of the bytes that are being processed, counted or not. */
    private long currentBytes;

    /**
     * Records a read from the connection. The bytes of a read are processed before {@link
     * #endRead}, and no other bytes are.
     *
     * @param bufferBytes size of the buffer that the read keeps alive, even if only part of it was
     *     filled
     */
    void beginRead(int bytes, int bufferBytes) {
      currentConnection = this;
      currentBytes = bufferBytes + (long) FRAMES_FACTOR * bytes;
      if (!requests.isEmpty()) {
        readBytes += currentBytes;
        charge(currentBytes);
      }
    }

    void endRead() {
      currentBytes = 0;
      currentConnection = null;
    }

    /**
     * Starts counting a request, which may be refused by this call.
     *
     * @param unseenBytes memory that the request may have without a read being counted
     */
    Request begin(long unseenBytes) {
      Request request = new Request(this, CALL_BYTES + unseenBytes);
      long more = request.ownBytes;
      if (requests.isEmpty()) {
        incomplete.add(this);
        readBytes = currentBytes; // some of it may belong to this request
        more += currentBytes;
      }
      requests.add(request);
      charge(more);
      return request;
    }

    /** Ends counting of a request that is complete or over. */
    void end(Request request) {
      requests.remove(request);
      bytes.addAndGet(-request.ownBytes);
      if (requests.isEmpty()) {
        bytes.addAndGet(-readBytes);
        readBytes = 0;
        incomplete.remove(this);
      }
    }

    /** Refuses all incomplete requests, in the order in which they began. */
    void refuse(ApiError refusal) {
      new ArrayList<>(requests).forEach(request -> request.refuse(refusal));
    }
  }

  /**
   * Memory of one call from its beginning until the client has sent its complete request. gRPC
   * keeps a message unparsed until then, so the request keeps the call and the read buffers of its
   * connection alive.
   */
  final class Request {
    private final Connection connection;
    private @Nullable Consumer<ApiError> onRefused;

    /** Memory of the request alone. */
    private long ownBytes;

    private boolean ended;

    /** Reason of a refusal before {@link #onRefused} was called. */
    private @Nullable ApiError refused;

    private Request(Connection connection, long ownBytes) {
      this.connection = connection;
      this.ownBytes = ownBytes;
    }

    /** Counts {@code more} bytes for this request. */
    void grow(long more) {
      if (!ended) {
        ownBytes += more;
        charge(more);
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
        connection.end(this);
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

  /**
   * Receive allocator with reads of a fixed size, which it reports to the limit of their event
   * loop. A connection has one handle, and uses it on its event loop until it is closed.
   */
  static final class ReadCounter extends DefaultMaxMessagesRecvByteBufAllocator {
    private final Supplier<InboundBytesLimit> currentLimit;

    /**
     * @param currentLimit limit of the calling thread, which is an event loop
     */
    ReadCounter(Supplier<InboundBytesLimit> currentLimit) {
      super(ServerTransport.READS_PER_PASS);
      this.currentLimit = currentLimit;
    }

    @Override
    public RecvByteBufAllocator.ExtendedHandle newHandle() {
      return new CountedHandle();
    }

    /** Handle of one connection. */
    private final class CountedHandle extends MaxMessageHandle {
      /** Null before the first read, because the handle is created by the thread that accepts. */
      private @Nullable Connection connection;

      @Override
      public int guess() {
        return ServerTransport.READ_BYTES;
      }

      @Override
      public void lastBytesRead(int bytes) {
        super.lastBytesRead(bytes);
        if (bytes > 0) {
          Connection from = connection;
          if (from == null) {
            from = currentLimit.get().new Connection();
            connection = from;
          }
          from.beginRead(bytes, ServerTransport.READ_BYTES);
        }
      }

      @Override
      public void readComplete() {
        super.readComplete();
        Connection from = connection;
        if (from != null) {
          from.endRead();
        }
      }
    }
  }
}
