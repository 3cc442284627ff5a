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
 * Answer of a call, with an idle timeout: if a read waits too long, the call is ended. Time between
 * reads does not count. OkHttp's read timeout has the same effect, but is set and cleared for each
 * read, which wakes a thread each time. Here a read only stores the time, and a timer checks it
 * once per timeout.
 *
 * <p>Confined to one reading thread.
 */
final class IdleTimeoutInputStream extends FilterInputStream {
  private static final long NOT_READING = Long.MIN_VALUE;

  private final long idleTimeoutNanos;
  private final ScheduledExecutorService timer;
  private final Runnable end;

  /** Start of the read in progress. */
  private volatile long readStartedAt = NOT_READING;

  private @Nullable Future<?> timeoutCheck;
  private boolean running;
  private boolean closed;

  /**
   * Creates a stream whose timer is not started yet.
   *
   * @param silence maximum wait of a read
   * @param end runs after the timeout, once, on the timer's thread; has to make the read fail
   */
  IdleTimeoutInputStream(
      InputStream answer, Duration silence, ScheduledExecutorService timer, Runnable end) {
    super(answer);
    this.idleTimeoutNanos = silence.toNanos();
    this.timer = timer;
    this.end = end;
  }

  /** Starts the timer. */
  synchronized void startTimer() {
    if (!running) {
      running = true;
      scheduleCheck(idleTimeoutNanos);
    }
  }

  private synchronized void scheduleCheck(long nanos) {
    if (!closed) {
      timeoutCheck = timer.schedule(this::checkTimeout, nanos, TimeUnit.NANOSECONDS);
    }
  }

  private void checkTimeout() {
    long reading = readStartedAt;
    long left =
        reading == NOT_READING
            ? idleTimeoutNanos
            : idleTimeoutNanos - (System.nanoTime() - reading);
    if (left > 0) {
      scheduleCheck(left);
    } else {
      end.run();
    }
  }

  @Override
  public int read() throws IOException {
    readStartedAt = System.nanoTime();
    try {
      return super.read();
    } finally {
      readStartedAt = NOT_READING;
    }
  }

  @Override
  public int read(byte[] into, int from, int length) throws IOException {
    readStartedAt = System.nanoTime();
    try {
      return super.read(into, from, length);
    } finally {
      readStartedAt = NOT_READING;
    }
  }

  /** Closes the stream and stops the timer. */
  @Override
  public void close() throws IOException {
    synchronized (this) {
      closed = true;
      if (timeoutCheck != null) {
        timeoutCheck.cancel(false);
      }
    }
    super.close();
  }
}
