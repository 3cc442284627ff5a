package io.watchgate.grpc;

import io.watchgate.fanout.ApiError;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.SequencedSet;

/**
 * What the requests of one connection hold that are not complete. Nobody tells whose request it is
 * that some bytes belong to before it is complete, so all that is read meanwhile is counted, until
 * none is incomplete any more: then nothing is left of what was read. On the connection's loop.
 */
final class ConnectionInboundBytes {
  /**
   * What a byte may hold beside the buffer that it was read into: a frame of ten bytes is an object
   * for gRPC and one for Netty, of 80 bytes together with their places in two queues.
   */
  private static final int FRAMES_FACTOR = 8;

  /** What a request may hold that is read in full buffers. */
  static final long MOST_BYTES = (1 + FRAMES_FACTOR) * (long) ServerTransport.MAX_INBOUND_BYTES;

  private final InboundBytesLimit others;
  private final SequencedSet<RequestInboundBytes> begun = new LinkedHashSet<>();

  /** Of what was read. */
  private long readBytes;

  /** Of what is being dealt with, counted or not. */
  private long currentBytes;

  ConnectionInboundBytes(InboundBytesLimit others) {
    this.others = others;
  }

  /**
   * Was read from. What was read is dealt with before {@link #readIsOver}, and nothing else is.
   *
   * @param bufferBytes that the read keeps alive, however little it was
   */
  void read(int bytes, int bufferBytes) {
    others.reading(this);
    currentBytes = bufferBytes + (long) FRAMES_FACTOR * bytes;
    if (!begun.isEmpty()) {
      readBytes += currentBytes;
      others.charge(currentBytes);
    }
  }

  void readIsOver() {
    currentBytes = 0;
    others.readingIsOver();
  }

  /**
   * One has begun, which may be refused for it.
   *
   * @param bytes that it holds by itself
   */
  void begin(RequestInboundBytes request, long bytes) {
    long more = bytes;
    if (begun.isEmpty()) {
      others.begin(this);
      readBytes = currentBytes; // some of it may be this one's
      more += currentBytes;
    }
    begun.add(request);
    others.charge(more);
  }

  /** One of them holds more by itself. */
  void grow(long more) {
    others.charge(more);
  }

  /**
   * One is complete, or over.
   *
   * @param bytes that it held by itself
   */
  void end(RequestInboundBytes request, long bytes) {
    begun.remove(request);
    others.release(bytes);
    if (begun.isEmpty()) {
      others.release(readBytes);
      readBytes = 0;
      others.end(this);
    }
  }

  /** Refuses them all, in the order in which they began. */
  void refuse(ApiError refusal) {
    new ArrayList<>(begun).forEach(request -> request.refuse(refusal));
  }
}
