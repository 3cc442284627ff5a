package io.watchgate.kube;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * Limit on the bytes that one connection has received and its readers have not taken. Over HTTP/2
 * OkHttp reads on a thread of its own and keeps up to 16 MiB of each answer in the heap, which it
 * has no setting for. If readers are blocked, that is 16 MiB for each type. With this limit the
 * thread waits before it reads more from the socket, so that further bytes stay with the kernel and
 * the apiserver.
 *
 * <p>The thread waits only while all readers are busy. While a reader waits for bytes, or a call
 * for its response, one read per millisecond is allowed above the limit: the awaited bytes may be
 * behind those of another call. The overhead of HTTP/2 and TLS is counted, but no reader reads it,
 * so the count becomes too high. A reader that has to wait for bytes proves that all earlier ones
 * were read. Then the count is reset to the bytes that arrived during the wait. The limit is {@link
 * KubeSettings.Sizes#RECEIVE_WINDOW}. Thread-safe.
 */
final class ReceiveWindow {
  /**
   * A read that takes longer than this, and during which bytes came, had to wait. Time alone proves
   * nothing: a busy machine may stop a thread for longer.
   */
  private static final long WAITED_NANOS = 100_000;

  private static final long RECHECK_MILLIS = 50;

  private final long limit;
  private long unreadBytes;

  /** Bytes received in all. */
  private long received;

  /** Number of answers that are being read. */
  private int open;

  /** Number of readers that wait for bytes, and of calls that wait for an answer. */
  private int waiting;

  ReceiveWindow(long limit) {
    this.limit = limit;
  }

  /** Returns the estimated number of bytes that were received and not taken. */
  synchronized long unreadBytes() {
    return unreadBytes;
  }

  /**
   * Counts a call that waits for the beginning of its answer, until {@link #endWait}, or a reader
   * that waits for bytes, until {@link #endRead}. Returns the bytes received so far.
   */
  synchronized long beginWait() {
    waiting++;
    notifyAll();
    return received;
  }

  /** Ends a wait: the answer has begun, or the call has failed. */
  synchronized void endWait() {
    waiting--;
  }

  /** Returns the bytes of a socket; each read of them first waits for room in the window. */
  InputStream socket(InputStream bytes) {
    return new Received(bytes);
  }

  private synchronized void awaitRoom() throws IOException {
    try {
      while (unreadBytes >= limit && !isIdle()) {
        if (waiting == 0) {
          wait(RECHECK_MILLIS);
        } else {
          // The reader gets time to take what has arrived. If it still waits, it needs later bytes.
          wait(1);
          if (waiting > 0) {
            return;
          }
        }
      }
      if (isIdle()) {
        unreadBytes = 0;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private boolean isIdle() {
    return open == 0 && waiting == 0;
  }

  private synchronized void onReceived(int bytes) {
    received += bytes;
    unreadBytes += bytes;
  }

  /** Counts an answer that is being read, until {@link #close}. */
  synchronized void open() {
    open++;
    notifyAll();
  }

  synchronized void close() {
    open--;
    notifyAll();
  }

  /**
   * Ends the wait of a reader.
   *
   * @param before answer of {@link #beginWait}
   */
  synchronized void endRead(int bytes, long nanos, long before) {
    waiting--;
    boolean waited = nanos > WAITED_NANOS && received > before;
    unreadBytes = Math.max(0, (waited ? received - before : unreadBytes) - bytes);
    if (unreadBytes < limit) {
      notifyAll();
    }
  }

  private final class Received extends FilterInputStream {
    Received(InputStream bytes) {
      super(bytes);
    }

    @Override
    public int read() throws IOException {
      awaitRoom();
      int read = super.read();
      onReceived(read < 0 ? 0 : 1);
      return read;
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
      awaitRoom();
      int read = super.read(into, from, length);
      onReceived(Math.max(0, read));
      return read;
    }
  }
}
