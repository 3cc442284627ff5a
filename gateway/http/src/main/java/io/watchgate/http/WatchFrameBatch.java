package io.watchgate.http;

import io.watchgate.fanout.ResponseSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import javax.net.ssl.SSLEngine;
import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Batch of the frames that a task of an event loop writes to watches, with one write for each
 * HTTP/2 connection when the task has ended.
 *
 * <p>An event for hundreds of watches of a connection would otherwise take a write and a TLS record
 * for each watch. Their frames are copied into one buffer for each connection, and count as written
 * from then on, so that a watch is ready for its next event at once. A connection that is closed
 * before its buffer has left loses bytes that its client has not seen: the client watches again
 * from the version that it has. Confined to the thread of its loop.
 */
final class WatchFrameBatch {
  private static final Logger LOG = LoggerFactory.getLogger(WatchFrameBatch.class);

  /**
   * Maximum of bytes in the buffer of a connection, two full TLS records: what a watch is charged
   * for while its client does not read.
   */
  private static final int MAX_CONNECTION_BYTES = ResponseSink.READY_BYTES;

  /** Maximum of bytes in the buffers of all connections, above which all are sent at once. */
  private static final int MAX_BYTES = 1 << 20;

  /** Batch of the present thread, set while a task runs. */
  private static final ThreadLocal<WatchFrameBatch> CURRENT = new ThreadLocal<>();

  private List<BatchedConnection.BatchedEndPoint> filled = new ArrayList<>();
  private int bytes;

  /**
   * Runs a task, then sends what it has written. A failure is logged: it concerns one watch, and
   * the other watches of the loop continue.
   */
  void run(Runnable task) {
    CURRENT.set(this);
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.error("a task of the watches failed", e);
    } finally {
      CURRENT.remove();
      send();
    }
  }

  private void send() {
    List<BatchedConnection.BatchedEndPoint> now = filled;
    if (!now.isEmpty()) {
      filled = new ArrayList<>();
      bytes = 0;
      now.forEach(WatchFrameBatch::send);
    }
  }

  private static void send(BatchedConnection.BatchedEndPoint one) {
    try {
      one.send();
    } catch (RuntimeException e) {
      LOG.error("events could not be sent to the watches of a connection", e);
    }
  }

  /**
   * Returns whether a connection has had bytes to send for that time and more, and its client has
   * not read them.
   */
  static boolean isStalled(Connection connection, Duration time) {
    return connection.getEndPoint() instanceof BatchedConnection.BatchedEndPoint one
        && one.isStalled(time);
  }

  private void add(int size) {
    bytes += size;
    if (bytes > MAX_BYTES) {
      send();
    }
  }

  /** TLS connections whose writes within a task are sent together. */
  static final class TlsConnections extends SslConnectionFactory {
    private final IntConsumer unsentBytes;

    /**
     * @param unsentBytes gets each change of the bytes that connections have not taken yet
     */
    TlsConnections(SslContextFactory.Server tls, String nextProtocol, IntConsumer unsentBytes) {
      super(tls, nextProtocol);
      this.unsentBytes = unsentBytes;
    }

    @Override
    protected SslConnection newSslConnection(
        Connector connector, EndPoint endPoint, SSLEngine engine) {
      return new BatchedConnection(connector, endPoint, engine, this, unsentBytes);
    }
  }

  private static final class BatchedConnection extends SslConnection {
    private final IntConsumer unsentBytes;

    BatchedConnection(
        Connector connector,
        EndPoint endPoint,
        SSLEngine engine,
        SslConnectionFactory factory,
        IntConsumer unsentBytes) {
      super(
          connector.getByteBufferPool(),
          connector.getExecutor(),
          factory.getSslContextFactory(),
          endPoint,
          engine,
          factory.isDirectBuffersForEncryption(),
          factory.isDirectBuffersForDecryption());
      this.unsentBytes = unsentBytes;
    }

    @Override
    protected SslEndPoint newSslEndPoint() {
      return new BatchedEndPoint();
    }

    /** Thread-safe: a connection is also written to by the threads of the transport. */
    private final class BatchedEndPoint extends SslEndPoint {
      private static final int SMALLEST_BUFFER = 1 << 10;

      // Guarded by this.
      private @Nullable ByteBuffer buffer;

      /**
       * Start of the write of a buffer that has not left, in {@code nanoTime}; null: there is none.
       */
      private @Nullable Long sendingSince;

      /** Write that waits until the buffer has left: the transport accepts one at a time. */
      private @Nullable Write waiting;

      /** Bytes that the last buffer had at its end. */
      private int usualBytes = SMALLEST_BUFFER;

      private record Write(Callback callback, List<ByteBuffer> buffers) {}

      @Override
      public void write(Callback callback, ByteBuffer... buffers) {
        WatchFrameBatch batch = getConnection() instanceof HTTP2Connection ? CURRENT.get() : null;
        int size = size(buffers);
        if (batch != null && !hasRoom(size)) {
          send();
        }
        boolean isBuffered;
        ByteBuffer first = null;
        synchronized (this) {
          if (sendingSince != null) {
            waiting = new Write(callback, List.of(buffers));
            return;
          }
          isBuffered = batch != null && fill(batch, size, buffers);
          if (!isBuffered) {
            first = take();
          }
        }
        if (batch != null && isBuffered) {
          callback.succeeded();
          batch.add(size);
        } else if (first == null) {
          super.write(callback, buffers);
        } else {
          ByteBuffer[] all = new ByteBuffer[1 + buffers.length];
          all[0] = first;
          System.arraycopy(buffers, 0, all, 1, buffers.length);
          super.write(callback, all);
        }
      }

      private synchronized boolean hasRoom(int size) {
        return size + (buffer == null ? 0 : buffer.position()) <= MAX_CONNECTION_BYTES;
      }

      private boolean fill(WatchFrameBatch batch, int size, ByteBuffer... buffers) {
        ByteBuffer into = buffer;
        if (!hasRoom(size)) {
          return false;
        }
        if (into == null) {
          into = ByteBuffer.allocate(Math.max(size, usualBytes));
          batch.filled.add(this);
        } else if (into.remaining() < size) {
          int grown = Math.max(into.position() + size, 2 * into.capacity());
          into = ByteBuffer.allocate(Math.min(grown, MAX_CONNECTION_BYTES)).put(into.flip());
        }
        for (ByteBuffer each : buffers) {
          into.put(each);
        }
        buffer = into;
        return true;
      }

      private @Nullable ByteBuffer take() {
        ByteBuffer taken = buffer;
        buffer = null;
        if (taken != null) {
          usualBytes = Math.max(taken.position(), SMALLEST_BUFFER);
          taken.flip();
        }
        return taken;
      }

      private void send() {
        ByteBuffer taken;
        synchronized (this) {
          taken = take();
          if (taken == null) {
            return; // it left with another write
          }
          sendingSince = System.nanoTime();
        }
        unsentBytes.accept(taken.remaining());
        super.write(new Tail(taken.remaining()), taken);
      }

      /** Callback of the write of a buffer, which starts the write that waits. */
      private final class Tail implements Callback {
        private final int bytes;

        Tail(int bytes) {
          this.bytes = bytes;
        }

        @Override
        public void succeeded() {
          unsentBytes.accept(-bytes);
          Write next = takeWaiting();
          if (next != null) {
            write(next.callback, next.buffers.toArray(ByteBuffer[]::new));
          }
        }

        @Override
        public void failed(Throwable failure) {
          unsentBytes.accept(-bytes);
          Write next = takeWaiting();
          if (next != null) {
            next.callback.failed(failure);
          } else {
            close(failure);
          }
        }

        @Override
        public InvocationType getInvocationType() {
          return waitingType();
        }
      }

      private synchronized InvocationType waitingType() {
        return waiting == null ? InvocationType.NON_BLOCKING : waiting.callback.getInvocationType();
      }

      private synchronized boolean isStalled(Duration time) {
        return sendingSince != null && System.nanoTime() - sendingSince >= time.toNanos();
      }

      private synchronized @Nullable Write takeWaiting() {
        sendingSince = null;
        Write next = waiting;
        waiting = null;
        return next;
      }

      @Override
      public void doClose() {
        ByteBuffer taken;
        synchronized (this) {
          taken = take();
        }
        try {
          if (taken != null) {
            flush(taken);
          }
        } catch (IOException e) {
          LOG.debug("the last bytes of a connection were lost", e);
        } finally {
          super.doClose();
        }
      }

      private static int size(ByteBuffer... buffers) {
        int size = 0;
        for (ByteBuffer each : buffers) {
          size += each.remaining();
        }
        return size;
      }
    }
  }
}
