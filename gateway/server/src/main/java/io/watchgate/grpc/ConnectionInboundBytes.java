package io.watchgate.grpc;

import io.watchgate.error.ApiError;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.SequencedSet;

/**
 * Bytes of the incomplete requests of one connection. Bytes cannot be attributed to a request
 * before it is complete. So all bytes read from the connection are counted while any request is
 * incomplete, and released once none is. Used on the connection's event loop.
 */
final class ConnectionInboundBytes {
  /**
   * Bytes of memory per byte read, in addition to the buffer that it was read into. A frame of ten
   * bytes is one object for gRPC and one for Netty, 80 bytes together with their entries in two
   * queues.
   */
  private static final int FRAMES_FACTOR = 8;

  /** Upper bound of the memory of one request, if it is read in full buffers. */
  static final long MAX_REQUEST_BYTES =
      (1 + FRAMES_FACTOR) * (long) ServerTransport.MAX_INBOUND_BYTES;

  private final InboundBytesLimit limit;
  private final SequencedSet<RequestInboundBytes> incomplete = new LinkedHashSet<>();

  /** Counted memory of the bytes that were read. */
  private long readBytes;

  /** Memory of the bytes that are being processed, counted or not. */
  private long currentBytes;

  ConnectionInboundBytes(InboundBytesLimit others) {
    this.limit = others;
  }

  /**
   * Records a read from the connection. The bytes of a read are processed before {@link #endRead},
   * and no other bytes are.
   *
   * @param bufferBytes size of the buffer that the read keeps alive, even if only part of it was
   *     filled
   */
  void beginRead(int bytes, int bufferBytes) {
    limit.beginRead(this);
    currentBytes = bufferBytes + (long) FRAMES_FACTOR * bytes;
    if (!incomplete.isEmpty()) {
      readBytes += currentBytes;
      limit.charge(currentBytes);
    }
  }

  void endRead() {
    currentBytes = 0;
    limit.endRead();
  }

  /**
   * Starts counting a request, which may be refused by this call.
   *
   * @param bytes memory of the request alone
   */
  void begin(RequestInboundBytes request, long bytes) {
    long more = bytes;
    if (incomplete.isEmpty()) {
      limit.begin(this);
      readBytes = currentBytes; // some of it may belong to this request
      more += currentBytes;
    }
    incomplete.add(request);
    limit.charge(more);
  }

  /** Adds to the memory of one request alone. */
  void grow(long more) {
    limit.charge(more);
  }

  /**
   * Ends counting of a request that is complete or over.
   *
   * @param bytes memory of the request alone
   */
  void end(RequestInboundBytes request, long bytes) {
    incomplete.remove(request);
    limit.release(bytes);
    if (incomplete.isEmpty()) {
      limit.release(readBytes);
      readBytes = 0;
      limit.end(this);
    }
  }

  /** Refuses all incomplete requests, in the order in which they began. */
  void refuse(ApiError refusal) {
    new ArrayList<>(incomplete).forEach(request -> request.refuse(refusal));
  }
}
