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
 * Answer to a call, which is ended when a read of it waits for too long; a reader that is busy
 * elsewhere is no silence. OkHttp's read timeout means the same, but is set and cleared for each
 * read, and wakes a thread for that: a tenth of all that a change costs where changes come one by
 * one. Here a read notes the time, and a timer looks once in the silence that is allowed.
 *
 * <p>Read by one thread.
 */
final class IdleTimeoutInputStream extends FilterInputStream {
  private static final long NOT_READING = Long.MIN_VALUE;

  private final long silence;
  private final ScheduledExecutorService timer;
  private final Runnable end;

  /** When the read began that is under way. */
  private volatile long since = NOT_READING;

  private @Nullable Future<?> look;
  private boolean running;
  private boolean over;

  /**
   * Begins with {@link #begin}.
   *
   * @param silence how long a read may wait
   * @param end is run then, once, on the timer's thread; has to make the read fail
   */
  IdleTimeoutInputStream(
      InputStream answer, Duration silence, ScheduledExecutorService timer, Runnable end) {
    super(answer);
    this.silence = silence.toNanos();
    this.timer = timer;
    this.end = end;
  }

  /** From now on silence ends the call. */
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

  /** Stops the clock as well. */
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
