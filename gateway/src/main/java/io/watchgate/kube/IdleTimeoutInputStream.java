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

  private final long silence;
  private final ScheduledExecutorService timer;
  private final Runnable end;

  /** Start of the read in progress. */
  private volatile long since = NOT_READING;

  private @Nullable Future<?> look;
  private boolean running;
  private boolean over;

  /**
   * Creates a stream whose timer is not started yet.
   *
   * @param silence maximum wait of a read
   * @param end runs after the timeout, once, on the timer's thread; has to make the read fail
   */
  IdleTimeoutInputStream(
      InputStream answer, Duration silence, ScheduledExecutorService timer, Runnable end) {
    super(answer);
    this.silence = silence.toNanos();
    this.timer = timer;
    this.end = end;
  }

  /** Starts the timer. */
  synchronized void begin() {
    if (!running) {
      running = true;
      lookAfter(silence);
    }
  }

  private synchronized void lookAfter(long nanos) {
    if (!over) {
      look = timer.schedule(this::look, nanos, TimeUnit.NANOSECONDS);
    }
  }

  private void look() {
    long reading = since;
    long left = reading == NOT_READING ? silence : silence - (System.nanoTime() - reading);
    if (left > 0) {
      lookAfter(left);
    } else {
      end.run();
    }
  }

  @Override
  public int read() throws IOException {
    since = System.nanoTime();
    try {
      return super.read();
    } finally {
      since = NOT_READING;
    }
  }

  @Override
  public int read(byte[] into, int from, int length) throws IOException {
    since = System.nanoTime();
    try {
      return super.read(into, from, length);
    } finally {
      since = NOT_READING;
    }
  }

  /** Closes the stream and stops the timer. */
  @Override
  public void close() throws IOException {
    synchronized (this) {
      over = true;
      if (look != null) {
        look.cancel(false);
      }
    }
    super.close();
  }
}
