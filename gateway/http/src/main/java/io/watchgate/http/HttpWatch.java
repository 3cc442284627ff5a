package io.watchgate.http;

import io.watchgate.encode.ByteSlices;
import io.watchgate.error.ApiError;
import io.watchgate.error.ExpiredVersion;
import io.watchgate.error.StreamErrors;
import io.watchgate.fanout.ClientEnd;
import io.watchgate.fanout.GoingAwayNotice;
import io.watchgate.fanout.ResponseSink;
import io.watchgate.fanout.StreamIdentity;
import io.watchgate.fanout.Subscription;
import io.watchgate.proto.v1.ErrorReason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.jspecify.annotations.Nullable;

/**
 * Transport side of one watch: writes the frames of a subscription to the response of its request.
 * One write is in progress at a time. Methods run on the thread of its loop unless they say
 * otherwise.
 */
final class HttpWatch implements ResponseSink {
  /** Time before the end of a watch at which it gets a last bookmark. Shorter watches get none. */
  private static final Duration LAST_BOOKMARK_BEFORE_END = Duration.ofSeconds(2);

  /**
   * Shortest duration of a watch that ends without an event. client-go takes a watch of less than a
   * second for a failure, fabric8 one of less than two for an expired version, and both list again.
   */
  static final Duration SHORTEST = Duration.ofSeconds(2);

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final ApiExchange exchange;
  private final HttpWatches.Loop loop;
  private final @Nullable ByteSlices columns;
  private final HttpWatchListener listener;
  private final Runnable onEnd;
  private final Queue<ByteBuffer> waiting = new ArrayDeque<>(2);
  private final List<Future<?>> timers = new ArrayList<>(2);
  private final AtomicReference<Write> write = new AtomicReference<>(Write.NONE);
  private volatile @Nullable Subscription subscription;
  private volatile boolean revoked;
  private ErrorReason endReason = ErrorReason.ERROR_REASON_UNSPECIFIED;
  private ProxyAudit.Side endedBy = ProxyAudit.Side.CLIENT;
  private long sentBytes;
  private long beganAt;
  private boolean begun;
  private boolean sentFrames;
  private boolean endsAtOnce;
  private State state = State.OPEN;

  /** State of the present write; also read by the transport. */
  private enum Write {
    NONE,
    /** The call that starts the write has not returned. */
    STARTING,
    PENDING
  }

  private enum State {
    OPEN,
    /** No frame is accepted any more; the end is delayed. */
    DELAYED_END,
    /** No frame is accepted any more; the end follows the waiting frames. */
    ENDING,
    LAST_WRITE,
    ENDED
  }

  /**
   * @param columns column definitions that the first frame of a table gets; null for other formats
   * @param onEnd run once, when the watch is over
   */
  HttpWatch(
      ApiExchange exchange,
      HttpWatches.Loop loop,
      @Nullable ByteSlices columns,
      HttpWatchListener listener,
      Runnable onEnd) {
    this.exchange = exchange;
    this.loop = loop;
    this.columns = columns;
    this.listener = listener;
    this.onEnd = onEnd;
  }

  /** Sets the subscription, once, before the watch is opened. From any thread. */
  void attach(Subscription attached) {
    subscription = attached;
  }

  /** Opens the watch. Called once. */
  void open(Duration timeout) {
    Subscription opened = subscription;
    if (opened == null || state == State.ENDED) {
      return; // its permission was withdrawn before
    }
    loop.watches.add(this);
    beganAt = System.nanoTime();
    // A watch without changes is healthy; only a write without progress is not.
    exchange.request().addIdleTimeoutListener(idle -> isStalled());
    exchange.request().addFailureListener(failure -> loop.execute(() -> abort(failure)));
    timers.add(loop.after(timeout, this::onTimeout));
    if (timeout.compareTo(LAST_BOOKMARK_BEFORE_END) > 0) {
      timers.add(loop.after(timeout.minus(LAST_BOOKMARK_BEFORE_END), opened::sendBookmark));
    }
    opened.open();
  }

  private boolean isStalled() {
    return write.get() != Write.NONE
        || WatchFrameBatch.isStalled(
            exchange.request().getConnectionMetaData().getConnection(), loop.idleTimeout());
  }

  private void onTimeout() {
    endsAtOnce = true;
    Subscription ended = subscription;
    if (ended != null) {
      ended.terminate(StreamErrors.streamAge());
    }
  }

  /** Ends the watch cleanly, with a bookmark, once it is at a position. From any thread. */
  void leave(GoingAwayNotice notice) {
    Subscription left = subscription;
    if (left != null) {
      left.goAway(notice, Duration.ZERO);
    }
  }

  /** Ends the watch cleanly and at once, with a bookmark if it is at a position. */
  void leaveNow(GoingAwayNotice notice) {
    endsAtOnce = true;
    Subscription left = subscription;
    if (left != null) {
      left.goAwayNow(notice);
    }
  }

  /** Ends the watch; nothing is handed to the transport after this call. From any thread. */
  void revoke(ApiError refusal) {
    revoked = true;
    Subscription ended = subscription;
    if (ended != null) {
      ended.terminate(refusal);
    }
  }

  /** Ends the watch if its client has closed the connection. */
  void checkConnection() {
    try {
      DisconnectDetector.check(exchange.request());
    } catch (IOException e) {
      abort(e);
    }
  }

  // ---- the sink of the subscription

  @Override
  public Object connection() {
    return exchange.request().getConnectionMetaData().getConnection();
  }

  @Override
  public StreamIdentity identity() {
    return listener.identity();
  }

  @Override
  public boolean isReady() {
    return state == State.OPEN && write.get() == Write.NONE;
  }

  @Override
  public void send(ByteSlices response) {
    if (state != State.OPEN || revoked) {
      return;
    }
    sentBytes += response.size();
    if (!begun) {
      begin();
    } else if (response.isEmpty()) {
      return;
    }
    waiting.add(response.isEmpty() ? NOTHING : frames(response));
    writeNext();
  }

  private void begin() {
    begun = true;
    exchange.beginJson(200);
    listener.begun();
  }

  private ByteBuffer frames(ByteSlices response) {
    ByteSlices inserted = sentFrames ? null : columns;
    sentFrames = true;
    return inserted == null
        ? loop.bytes(response)
        : ByteBuffer.wrap(TableRowEncoder.withColumns(response.toByteArray(), inserted));
  }

  @Override
  public void end(ApiError error) {
    if (state != State.OPEN) {
      return;
    }
    endReason = error.reason();
    StatusException expired = expired(error);
    if (begun && expired != null) {
      waiting.add(ByteBuffer.wrap(WatchEventFormat.error(expired)));
      endNow();
    } else if (endsAtOnce) {
      endNow();
    } else if (!begun) {
      close();
      listener.cannotBegin(error);
    } else if (error.reason() == ErrorReason.ERROR_REASON_LAGGED) {
      abort(new IllegalStateException("the watch is not read"));
    } else {
      Duration age = Duration.ofNanos(System.nanoTime() - beganAt);
      if (sentFrames || age.compareTo(SHORTEST) >= 0) {
        endNow();
      } else {
        state = State.DELAYED_END;
        cancelTimers();
        timers.add(loop.after(SHORTEST.minus(age), this::endNow));
      }
    }
  }

  /**
   * Returns the error of a watch whose client must list again; null if the client may watch again
   * from its version.
   */
  private static @Nullable StatusException expired(ApiError error) {
    if (error.reason() == ErrorReason.ERROR_REASON_HISTORY_LOST) {
      // An apiserver that was restored would accept the client's version, and be silent.
      return StatusErrors.lostHistory();
    }
    // Without an error the client watches again from its version. That watch would be relayed, and
    // the apiserver would serve it until its timeout.
    ExpiredVersion versions = error.expired();
    return versions == null
        ? null
        : StatusErrors.tooOldVersion(versions.reached(), versions.current());
  }

  @Override
  public void fail() {
    endedBy = ProxyAudit.Side.INTERNAL;
    abort(new IllegalStateException("the watch failed; the log has the cause"));
  }

  // ---- writing

  private void writeNext() {
    if (write.get() != Write.NONE || state == State.LAST_WRITE || state == State.ENDED) {
      return;
    }
    if (revoked) {
      waiting.clear();
    }
    ByteBuffer next = waiting.poll();
    if (next != null) {
      start(false, next);
    } else if (state == State.ENDING) {
      state = State.LAST_WRITE;
      start(true, NOTHING);
    }
  }

  private void start(boolean last, ByteBuffer bytes) {
    write.set(Write.STARTING);
    exchange
        .response()
        .write(
            last,
            bytes,
            Callback.from(
                InvocationType.NON_BLOCKING,
                this::onWritten,
                failure -> loop.execute(() -> abort(failure))));
    if (!write.compareAndSet(Write.STARTING, Write.PENDING)) {
      onIdle();
    }
  }

  /** Called by any thread, perhaps before the call that started the write returns. */
  private void onWritten() {
    if (write.compareAndSet(Write.STARTING, Write.NONE)) {
      return;
    }
    loop.execute(this::onLaterWritten);
  }

  private void onLaterWritten() {
    write.set(Write.NONE);
    onIdle();
    Subscription woken = subscription;
    if (woken != null && isReady()) {
      woken.wake();
    }
  }

  private void onIdle() {
    if (state == State.LAST_WRITE) {
      close();
      exchange.callback().succeeded();
    } else {
      writeNext();
    }
  }

  // ---- the end

  /** Ends the watch cleanly, after the frames that it was sent. */
  private void endNow() {
    if (state == State.OPEN || state == State.DELAYED_END) {
      if (!begun) {
        begin();
      }
      state = State.ENDING;
      cancelTimers();
      writeNext();
    }
  }

  /** Ends the watch because the client has gone or an error occurred. */
  private void abort(Throwable failure) {
    if (state != State.ENDED) {
      if (failure instanceof TimeoutException) {
        endedBy = ProxyAudit.Side.CONNECTION;
      }
      close();
      exchange.callback().failed(failure);
    }
  }

  private void close() {
    state = State.ENDED;
    cancelTimers();
    waiting.clear();
    Subscription closed = subscription;
    if (closed != null) {
      closed.transportClosed(ClientEnd.CLIENT);
    }
    loop.watches.remove(this);
    onEnd.run();
    listener.ended(endReason, endedBy, sentBytes);
  }

  private void cancelTimers() {
    timers.forEach(timer -> timer.cancel(false));
    timers.clear();
  }
}
