package io.watchgate.http;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;
import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Batch that delays the first write to each connection until the present task of an event loop has
 * ended.
 *
 * <p>HTTP/2 has at most one write to a connection in progress, and what its other streams send
 * meanwhile leaves with the next write. So an event for hundreds of watches of a connection takes a
 * few writes and TLS records, instead of a write and a record for each watch. Confined to the
 * thread of its loop, except where noted.
 */
final class WriteBatch {
  private static final Logger LOG = LoggerFactory.getLogger(WriteBatch.class);

  /**
   * Number of writes to a connection that leave together. The transport adds up the sizes of all
   * buffers of a write for each that is appended, so its cost grows with the square of their
   * number.
   */
  private static final int MAX_TOGETHER = 16;

  /** Batch of the present thread, set while a task runs. */
  private static final ThreadLocal<WriteBatch> CURRENT = new ThreadLocal<>();

  private final List<DelayedWrite> writes = new ArrayList<>();
  private final List<Runnable> completions = new ArrayList<>();
  private volatile @Nullable Thread starting;

  /** First write to a connection. */
  private static final class DelayedWrite {
    private final Runnable write;
    private final Callback callback;

    /** Writes that leave together: this one, and those since. */
    private int together;

    DelayedWrite(Runnable write, Callback callback) {
      this.write = write;
      this.callback = callback;
    }

    void start() {
      try {
        write.run();
      } catch (RuntimeException e) {
        callback.failed(e);
      }
    }
  }

  /**
   * Runs a task, then starts the writes that it has delayed. A failure is logged: it is one of a
   * watch, and the others of the loop go on.
   */
  void run(Runnable task) {
    CURRENT.set(this);
    try {
      runLogged(task);
    } finally {
      CURRENT.remove();
      if (!writes.isEmpty() || !completions.isEmpty()) {
        end();
      }
    }
  }

  private void end() {
    starting = Thread.currentThread();
    try {
      writes.forEach(DelayedWrite::start);
      completions.forEach(WriteBatch::runLogged);
    } finally {
      writes.clear();
      completions.clear();
      starting = null;
    }
  }

  private static void runLogged(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.error("a task of the watches failed", e);
    }
  }

  /** Counts a write of a stream; starts the delayed one of its connection if there are enough. */
  void wrote(Connection connection) {
    if (connection.getEndPoint() instanceof BatchedConnection.BatchedEndPoint endPoint) {
      DelayedWrite first = endPoint.delayed;
      if (first != null && ++first.together > MAX_TOGETHER) {
        writes.remove(first);
        first.start();
      }
    }
  }

  /**
   * Runs what follows a write that has completed: on the thread of the loop, and not within a task.
   * From any thread.
   */
  void completed(Runnable completion, Executor loop) {
    if (CURRENT.get() == this) {
      completions.add(completion);
    } else if (Thread.currentThread().equals(starting)) {
      completion.run();
    } else {
      loop.execute(completion);
    }
  }

  /** TLS connections whose writes are delayed until the end of the task that writes. */
  static final class TlsConnections extends SslConnectionFactory {
    TlsConnections(SslContextFactory.Server tls, String nextProtocol) {
      super(tls, nextProtocol);
    }

    @Override
    protected SslConnection newSslConnection(
        Connector connector, EndPoint endPoint, SSLEngine engine) {
      return new BatchedConnection(
          connector,
          endPoint,
          engine,
          getSslContextFactory(),
          isDirectBuffersForEncryption(),
          isDirectBuffersForDecryption());
    }
  }

  private static final class BatchedConnection extends SslConnection {
    BatchedConnection(
        Connector connector,
        EndPoint endPoint,
        SSLEngine engine,
        SslContextFactory.Server tls,
        boolean directEncryption,
        boolean directDecryption) {
      super(
          connector.getByteBufferPool(),
          connector.getExecutor(),
          tls,
          endPoint,
          engine,
          directEncryption,
          directDecryption);
    }

    @Override
    protected SslEndPoint newSslEndPoint() {
      return new BatchedEndPoint();
    }

    private final class BatchedEndPoint extends SslEndPoint {
      /** Write that has not been started; used by the thread of the loop. */
      private @Nullable DelayedWrite delayed;

      @Override
      public void write(Callback callback, ByteBuffer... buffers) {
        WriteBatch batch = CURRENT.get();
        if (batch != null && getConnection() instanceof HTTP2Connection) {
          delayed = new DelayedWrite(() -> start(callback, buffers), callback);
          batch.writes.add(delayed);
        } else {
          super.write(callback, buffers);
        }
      }

      private void start(Callback callback, ByteBuffer... buffers) {
        delayed = null;
        super.write(callback, buffers);
      }
    }
  }
}
