package io.watchgate.http;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLEngine;
import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/**
 * Batch of the first write to each connection during a task of an event loop, started at its end.
 *
 * <p>HTTP/2 has at most one write to a connection in progress, and what its other streams send
 * meanwhile leaves with the next write. So an event for hundreds of watches of a connection takes
 * two writes and a few TLS records, instead of a write and a record for each watch. Confined to the
 * thread of its loop.
 */
final class WriteBatch {
  /** Batch of the present thread, set while a task runs. */
  private static final ThreadLocal<WriteBatch> CURRENT = new ThreadLocal<>();

  private final List<DelayedWrite> writes = new ArrayList<>();
  private volatile @Nullable Thread starting;

  private record DelayedWrite(Runnable write, Callback callback) {
    void start() {
      try {
        write.run();
      } catch (RuntimeException e) {
        callback.failed(e);
      }
    }
  }

  /** Runs a task, then starts the writes that it has delayed. */
  void run(Runnable task) {
    CURRENT.set(this);
    try {
      task.run();
    } finally {
      CURRENT.remove();
      start();
    }
  }

  private void start() {
    if (!writes.isEmpty()) {
      starting = Thread.currentThread();
      try {
        writes.forEach(DelayedWrite::start);
      } finally {
        writes.clear();
        starting = null;
      }
    }
  }

  /**
   * Returns whether this thread is the one of the loop, and starts the writes: then it runs no
   * task. From any thread.
   */
  boolean isStarting() {
    return Thread.currentThread().equals(starting);
  }

  /** TLS connections whose writes are delayed until the end of the task that writes. */
  static final class TlsConnections extends SslConnectionFactory {
    TlsConnections(SslContextFactory.Server tls, String nextProtocol) {
      super(tls, nextProtocol);
    }

    @Override
    protected SslConnection newSslConnection(
        Connector connector, EndPoint endPoint, SSLEngine engine) {
      return new SslConnection(
          connector.getByteBufferPool(),
          connector.getExecutor(),
          getSslContextFactory(),
          endPoint,
          engine,
          isDirectBuffersForEncryption(),
          isDirectBuffersForDecryption()) {
        @Override
        protected SslEndPoint newSslEndPoint() {
          return new SslEndPoint() {
            @Override
            public void write(Callback callback, ByteBuffer... buffers) {
              WriteBatch batch = CURRENT.get();
              if (batch != null && getConnection() instanceof HTTP2Connection) {
                batch.writes.add(new DelayedWrite(() -> super.write(callback, buffers), callback));
              } else {
                super.write(callback, buffers);
              }
            }
          };
        }
      };
    }
  }
}
