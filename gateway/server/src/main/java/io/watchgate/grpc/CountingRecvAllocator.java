package io.watchgate.grpc;

import io.grpc.netty.shaded.io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.grpc.netty.shaded.io.netty.channel.RecvByteBufAllocator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Receive allocator with reads of a fixed size, which it reports to the {@link InboundBytesLimit}
 * of their event loop. A connection has one handle, and uses it on its event loop until it is
 * closed.
 */
final class CountingRecvAllocator extends DefaultMaxMessagesRecvByteBufAllocator {
  private final Supplier<InboundBytesLimit> requests;

  /**
   * @param requests limit of the calling thread, which is an event loop
   */
  CountingRecvAllocator(Supplier<InboundBytesLimit> requests) {
    super(ServerTransport.READS_PER_PASS);
    this.requests = requests;
  }

  @Override
  public RecvByteBufAllocator.ExtendedHandle newHandle() {
    return new CountedHandle();
  }

  /** Handle of one connection. */
  private final class CountedHandle extends MaxMessageHandle {
    /** Null before the first read, because the handle is created by the thread that accepts. */
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
        from.beginRead(bytes, ServerTransport.READ_BYTES);
      }
    }

    @Override
    public void readComplete() {
      super.readComplete();
      ConnectionInboundBytes from = connection;
      if (from != null) {
        from.endRead();
      }
    }
  }
}
