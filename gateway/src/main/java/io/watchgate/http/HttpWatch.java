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
 * One open watch. It writes when it has something to say and its last write is done, and otherwise
 * holds no thread and no bytes. Everything happens on its loop's thread.
 */
final class HttpWatch {
  /** What is written at one time, but for one object that is larger. */
  private static final int PIECE = 64 << 10;

  /** How long before its end a watch gets a last bookmark, and those get none that are shorter. */
  private static final Duration BEFORE_END = Duration.ofSeconds(2);

  private final WatchLoop loop;
  private final Exchange exchange;
  private final WatchCache cache;
  private final WatchCursor position;
  private final Runnable afterwards;
  private final List<Future<?>> timers = new ArrayList<>();
  private boolean begun;
  private boolean bookmarkDue;
  private boolean ending;
  private boolean over;

  /** Read by the transport as well. */
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
    this.position = position;
    this.afterwards = afterwards;
  }

  /** Begins to send. Called once, on the loop. */
  void begin(Duration timeout, Duration bookmarkInterval) {
    // A watch that has nothing to say is well; only a write that is stuck is not.
    exchange.request().addIdleTimeoutListener(idle -> writing);
    exchange.request().addFailureListener(failure -> loop.execute(this, () -> end(failure)));
    loop.join(cache, this);
    timers.add(loop.after(timeout, this, this::finish));
    timers.add(loop.every(bookmarkInterval, this, this::bookmark));
    if (timeout.compareTo(BEFORE_END) > 0) {
      timers.add(loop.after(timeout.minus(BEFORE_END), this, this::bookmark));
    }
    turn();
  }

  private void bookmark() {
    try {
      DisconnectDetector.check(exchange.request());
    } catch (IOException e) {
      end(e);
      return;
    }
    bookmarkDue = true;
    turn();
  }

  /** Ends the stream cleanly, once what is being written is out. */
  void finish() {
    ending = true;
    turn();
  }

  /** Writes what there is, if it can. */
  void turn() {
    if (over) {
      return;
    }
    if (position.isTooFarBehind()) {
      position.letGo();
    }
    if (writing) {
      return;
    }
    ByteBuilder out = loop.scratch();
    Progress progress = ending ? Progress.ENDED : position.fill(out, PIECE);
    if (progress == Progress.CAUGHT_UP && bookmarkDue) {
      bookmarkDue = false;
      position.bookmark(out);
    }
    boolean last = progress == Progress.ENDED;
    if (last || out.size() > 0 || !begun) {
      begun = true;
      write(last, ByteBuffer.wrap(out.toArray()));
    } else if (progress == Progress.MORE) {
      loop.execute(this, this::turn); // the others first
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
      turn();
    } else if (close()) {
      exchange.callback().succeeded();
    }
  }

  /** The client has gone, or something went wrong. */
  void end(Throwable failure) {
    if (close()) {
      exchange.callback().failed(failure);
    }
  }

  private boolean close() {
    if (over) {
      return false;
    }
    over = true;
    timers.forEach(timer -> timer.cancel(false));
    position.letGo();
    loop.leave(cache, this);
    afterwards.run();
    return true;
  }
}
