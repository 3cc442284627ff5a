package io.watchgate.kube;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of the answer to a request of a gateway (list, watch, discovery), with an idle timeout
 * after {@link #startTimer}: if a read waits too long, the call is ended. Time between reads does
 * not count. Bytes that are read are counted as taken out of the {@link ReceiveWindow}. OkHttp's
 * read timeout has the same effect, but is set and cleared for each read, which wakes a thread each
 * time. A read of this stream only stores the time, and a timer checks it once per timeout.
 *
 * <p>Confined to one reading thread.
 */
final class TimedAnswerStream extends FilterInputStream {
  private static final long NOT_READING = Long.MIN_VALUE;

  private final ReceiveWindow window;
  private final ScheduledExecutorService timer;

  /** Start of the read in progress. */
  private volatile long readStartedAt = NOT_READING;

  private @Nullable Future<?> timeoutCheck;
  private boolean closed;

  TimedAnswerStream(InputStream body, ReceiveWindow window, ScheduledExecutorService timer) {
    super(body);
    this.window = window;
    this.timer = timer;
    window.open();
  }

  /**
   * Starts the timer, once.
   *
   * @param silence maximum wait of a read
   * @param end runs after the timeout, once, on the timer's thread; has to make the read fail
   */
  synchronized void startTimer(Duration silence, Runnable end) {
    if (timeoutCheck == null) {
      scheduleCheck(silence.toNanos(), silence.toNanos(), end);
    }
  }

  private synchronized void scheduleCheck(long nanos, long idleTimeoutNanos, Runnable end) {
    if (!closed) {
      timeoutCheck =
          timer.schedule(() -> checkTimeout(idleTimeoutNanos, end), nanos, TimeUnit.NANOSECONDS);
    }
  }

  private void checkTimeout(long idleTimeoutNanos, Runnable end) {
    long began = readStartedAt;
    long waited = began == NOT_READING ? 0 : System.nanoTime() - began;
    if (waited < idleTimeoutNanos) {
      scheduleCheck(idleTimeoutNanos - waited, idleTimeoutNanos, end);
    } else {
      end.run();
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int from, int length) throws IOException {
    long began = System.nanoTime();
    readStartedAt = began;
    long before = window.beginWait();
    int read = 0;
    try {
      read = super.read(into, from, length);
      return read;
    } finally {
      readStartedAt = NOT_READING;
      window.endRead(Math.max(0, read), System.nanoTime() - began, before);
    }
  }

  /** Closes the stream and stops the timer. */
  @Override
  public void close() throws IOException {
    synchronized (this) {
      if (!closed) {
        closed = true;
        window.close();
      }
      if (timeoutCheck != null) {
        timeoutCheck.cancel(false);
      }
    }
    super.close();
  }
}
