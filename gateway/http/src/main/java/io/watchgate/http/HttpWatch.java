package io.watchgate.http;

import io.watchgate.cache.WatchCache;
import io.watchgate.http.WatchCursor.Progress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;

/**
 * Open watch. It writes when there are changes and its last write is complete. Otherwise it uses no
 * thread and no buffer. All methods run on its loop's thread.
 */
final class HttpWatch {
  /** Bytes of one write, unless a single object is larger. */
  private static final int WRITE_BYTES = 64 << 10;

  /** Time before the end of a watch at which it gets a last bookmark. Shorter watches get none. */
  private static final Duration LAST_BOOKMARK_BEFORE_END = Duration.ofSeconds(2);

  private final WatchLoop loop;
  private final Exchange exchange;
  private final WatchCache cache;
  private final WatchCursor cursor;
  private final Runnable onEnd;
  private final List<Future<?>> timers = new ArrayList<>();
  private boolean begun;
  private boolean bookmarkDue;
  private boolean ending;
  private boolean ended;

  /** Also read by the transport. */
  private volatile boolean writing;

  /**
   * @param afterwards run once, when the watch is over
   */
  HttpWatch(
      WatchLoop loop,
      Exchange exchange,
      WatchCache cache,
      WatchCursor position,
      Runnable afterwards) {
    this.loop = loop;
    this.exchange = exchange;
    this.cache = cache;
    this.cursor = position;
    this.onEnd = afterwards;
  }

  /** Begins to send. Called once, on the loop. */
  void begin(Duration timeout, Duration bookmarkInterval) {
    // A watch without changes is healthy; only a write without progress is not.
    exchange.request().addIdleTimeoutListener(idle -> writing);
    exchange.request().addFailureListener(failure -> loop.execute(this, () -> end(failure)));
    loop.join(cache, this);
    timers.add(loop.after(timeout, this, this::finish));
    timers.add(loop.every(bookmarkInterval, this, this::bookmark));
    if (timeout.compareTo(LAST_BOOKMARK_BEFORE_END) > 0) {
      timers.add(loop.after(timeout.minus(LAST_BOOKMARK_BEFORE_END), this, this::bookmark));
    }
    writePending();
  }

  private void bookmark() {
    try {
      DisconnectDetector.check(exchange.request());
    } catch (IOException e) {
      end(e);
      return;
    }
    bookmarkDue = true;
    writePending();
  }

  /** Ends the stream cleanly, after the current write. */
  void finish() {
    ending = true;
    writePending();
  }

  /** Writes what is available, if no write is in progress. */
  void writePending() {
    if (ended) {
      return;
    }
    if (cursor.isTooFarBehind()) {
      cursor.release();
    }
    if (writing) {
      return;
    }
    ByteBuilder out = loop.scratch();
    Progress progress = ending ? Progress.ENDED : cursor.fill(out, WRITE_BYTES);
    if (progress == Progress.CAUGHT_UP && bookmarkDue) {
      bookmarkDue = false;
      cursor.bookmark(out);
    }
    boolean last = progress == Progress.ENDED;
    if (last || out.size() > 0 || !begun) {
      begun = true;
      write(last, ByteBuffer.wrap(out.toArray()));
    } else if (progress == Progress.MORE) {
      loop.execute(this, this::writePending); // other watches first
    }
  }

  private void write(boolean last, ByteBuffer bytes) {
    writing = true;
    exchange
        .response()
        .write(
            last,
            bytes,
            Callback.from(
                InvocationType.NON_BLOCKING,
                () -> loop.execute(this, () -> written(last)),
                failure -> loop.execute(this, () -> end(failure))));
  }

  private void written(boolean last) {
    writing = false;
    if (!last) {
      writePending();
    } else if (close()) {
      exchange.callback().succeeded();
    }
  }

  /** Ends the watch because the client has gone or an error occurred. */
  void end(Throwable failure) {
    if (close()) {
      exchange.callback().failed(failure);
    }
  }

  private boolean close() {
    if (ended) {
      return false;
    }
    ended = true;
    timers.forEach(timer -> timer.cancel(false));
    cursor.release();
    loop.leave(cache, this);
    onEnd.run();
    return true;
  }
}
