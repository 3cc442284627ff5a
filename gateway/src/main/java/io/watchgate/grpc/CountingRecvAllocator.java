package io.watchgate.grpc;

import io.grpc.netty.shaded.io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.grpc.netty.shaded.io.netty.channel.RecvByteBufAllocator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads of a fixed size, as the transport has them, that are told to the {@link InboundBytesLimit}
 * of their loop. A connection has one handle, and reads with it on its loop for life.
 */
final class CountingRecvAllocator extends DefaultMaxMessagesRecvByteBufAllocator {
  private final Supplier<InboundBytesLimit> requests;

  /**
   * @param requests of the calling thread, which is a loop
   */
  CountingRecvAllocator(Supplier<InboundBytesLimit> requests) {
    super(ServerTransport.READS_IN_A_TURN);
    this.requests = requests;
  }

  @Override
  public RecvByteBufAllocator.ExtendedHandle newHandle() {
    return new CountedHandle();
  }

  /** Of one connection. */
  private final class CountedHandle extends MaxMessageHandle {
    /** Null before the first read: the handle is made by the thread that accepts. */
    private @Nullable ConnectionInboundBytes connection;

    @Override
    public int guess() {
      return ServerTransport.READ_BYTES;
    }

    @Override
    public void lastBytesRead(int bytes) {
      super.lastBytesRead(bytes);
      if (bytes > 0) {
        ConnectionInboundBytes from = connection;
        if (from == null) {
          from = new ConnectionInboundBytes(requests.get());
          connection = from;
        }
        from.read(bytes, ServerTransport.READ_BYTES);
      }
    }

    @Override
    public void readComplete() {
      super.readComplete();
      ConnectionInboundBytes from = connection;
      if (from != null) {
        from.readIsOver();
      }
    }
  }
}
