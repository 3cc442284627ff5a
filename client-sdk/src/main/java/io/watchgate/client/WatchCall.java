package io.watchgate.client;

import com.google.protobuf.ByteString;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.watchgate.proto.v1.GoingAway;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One watch, over as many streams as it takes. Thread-safe; everything that happens is done by one
 * owner, a {@link SerialExecutor}, so the fields need no lock.
 */
public final class WatchCall implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(WatchCall.class);
  private static final int DEFAULT_RESPONSE_BYTES = 4 << 20;

  private final Connection connection;
  private final Timers timers;
  private final SerialExecutor owner;
  private final Backoff backoff;
  private final long maxGroupBytes;
  private final ListAndWatchRequest request;
  private final WatchListener listener;
  private final Consumer<WatchCall> whenOver;

  private volatile boolean over;
  private volatile @Nullable Position last;
  // After RESTART even the start that the caller asked for is out of date.
  private volatile boolean startOver;
  // Whether the caller holds something that a snapshot would replace.
  private boolean hadPosition;
  private @Nullable Stream stream;
  private Runnable cancelTimer = () -> {};
  private @Nullable Outage outage;

  /** From the first interruption to the stream that goes on. */
  private static final class Outage {
    final Interruption cause;
    final @Nullable Position last;
    final long since;
    int attempts;

    Outage(Interruption cause, @Nullable Position last, long since) {
      this.cause = cause;
      this.last = last;
      this.since = since;
    }
  }

  WatchCall(
      Connection connection,
      Timers timers,
      SerialExecutor owner,
      Backoff backoff,
      long maxGroupBytes,
      ListAndWatchRequest request,
      WatchListener listener,
      Consumer<WatchCall> whenOver) {
    this.connection = connection;
    this.timers = timers;
    this.owner = owner;
    this.backoff = backoff;
    this.maxGroupBytes = maxGroupBytes;
    this.request = request;
    this.listener = listener;
    this.whenOver = whenOver;
    hadPosition =
        switch (request.getStartCase()) {
          case RESUME_TOKEN -> !request.getResumeToken().isEmpty();
          case RESOURCE_VERSION, FROM_NOW -> true;
          case START_NOT_SET -> false;
        };
  }

  void start() {
    owner.execute(this::open);
  }

  /**
   * The token of the last update that the listener took in; a later process may begin with it.
   * Empty: none yet, or what it led to is lost and the watch starts over.
   */
  public ByteString lastToken() {
    Position position = last;
    if (position != null) {
      return position.token();
    }
    return startOver ? ByteString.EMPTY : request.getResumeToken();
  }

  /**
   * Ends the watch. No update is begun afterwards; one that the listener is busy with on another
   * thread is not waited for. May be called more than once, and by the listener.
   */
  @Override
  public void close() {
    over = true;
    owner.execute(this::shut);
  }

  private void shut() {
    over = true;
    cancelTimer.run();
    Stream open = stream;
    stream = null;
    if (open != null) {
      open.cancel("the watch was closed");
    }
    whenOver.accept(this);
  }

  private void open() {
    if (over) {
      return;
    }
    stream = new Stream();
    stream.open(nextRequest());
  }

  private ListAndWatchRequest nextRequest() {
    Position position = last;
    if (position != null) {
      // What the minimum version was to make sure of, the token does from here on.
      return request.toBuilder()
          .clearMinimumResourceVersion()
          .setResumeToken(position.token())
          .build();
    }
    return startOver ? request.toBuilder().clearStart().build() : request;
  }

  private void deliver(WatchUpdate update) {
    if (over) {
      return;
    }
    try {
      listener.onUpdate(update);
    } catch (RuntimeException e) {
      log.error("The watch listener failed; its watch ends", e);
      if (!(update instanceof WatchUpdate.Ended)) {
        end(
            new WatchError(
                Status.Code.ABORTED,
                "",
                Action.STOP,
                "the listener of this watch threw " + e,
                Duration.ZERO));
      }
    }
  }

  private void reach(Position position) {
    Position before = last;
    last = position;
    hadPosition = true;
    if (before == null || !before.token().equals(position.token())) {
      backoff.reset();
    }
  }

  private void interrupted(Interruption cause) {
    Stream left = stream;
    stream = null;
    cancelTimer.run();
    if (left != null) {
      left.cancel("left for the next stream");
    }
    if (over) {
      return;
    }
    if (cause.action() == Action.STOP && cause instanceof Interruption.Failed failed) {
      end(failed.error());
      return;
    }
    Outage now = outage;
    if (now == null) {
      now = new Outage(cause, last, timers.nanoTime());
      outage = now;
    }
    now.attempts++;
    if (cause.action() == Action.RESTART) {
      last = null;
      startOver = true;
    }
    Duration delay = delay(cause);
    deliver(
        new WatchUpdate.Interrupted(
            cause, now.attempts, delay, left != null && left.assembler.inSnapshot()));
    if (!over) {
      cancelTimer = timers.schedule(delay, () -> owner.execute(this::open));
    }
  }

  private Duration delay(Interruption cause) {
    if (cause instanceof Interruption.GoingAway goingAway) {
      return backoff.within(goingAway.within());
    }
    if (cause instanceof Interruption.Failed failed) {
      return backoff.next(failed.error().retryAfter());
    }
    return backoff.next(Duration.ZERO);
  }

  private void end(WatchError error) {
    deliver(new WatchUpdate.Ended(error));
    shut();
  }

  /** The gateway said where the new stream goes on. */
  private void goesOn(ListAndWatchResponse response) {
    Outage ended = outage;
    if (ended == null || !(response.hasResumed() || response.hasSnapshotStarted())) {
      return;
    }
    outage = null;
    deliver(
        new WatchUpdate.Reconnected(
            ended.cause,
            ended.attempts,
            Duration.ofNanos(timers.nanoTime() - ended.since),
            continuation(response),
            Optional.ofNullable(ended.last)));
  }

  private WatchUpdate.Continuation continuation(ListAndWatchResponse response) {
    if (response.hasSnapshotStarted()) {
      return hadPosition
          ? WatchUpdate.Continuation.SNAPSHOT
          : WatchUpdate.Continuation.STARTED_OVER;
    }
    return last == null && request.hasFromNow()
        ? WatchUpdate.Continuation.FROM_NOW
        : WatchUpdate.Continuation.RESUMED;
  }

  /** One stream. What it still says after it was left is ignored. */
  private final class Stream extends ClientCall.Listener<ListAndWatchResponse> {
    private final Assembler assembler = new Assembler(maxGroupBytes);
    private final ClientCall<ListAndWatchRequest, ListAndWatchResponse> call;
    private Duration silence =
        silence(
            request.getDelivery().hasBookmarkInterval()
                ? WireTime.duration(request.getDelivery().getBookmarkInterval())
                : Duration.ofSeconds(30));
    private long waitingSince;

    Stream() {
      // Clamping by the server may raise a small limit, so never accept less than the default.
      int asked = request.getDelivery().getMaxResponseBytes();
      call =
          connection.newCall(
              owner, asked < 0 ? Integer.MAX_VALUE : Math.max(asked, DEFAULT_RESPONSE_BYTES));
    }

    void open(ListAndWatchRequest first) {
      call.start(this, new Metadata());
      call.sendMessage(first);
      call.halfClose();
      next();
      watchForSilence(silence);
    }

    void cancel(String why) {
      call.cancel(why, null);
    }

    /** Asks for one response only once the one before is dealt with: the back-pressure. */
    private void next() {
      waitingSince = timers.nanoTime();
      call.request(1);
    }

    @Override
    public void onMessage(ListAndWatchResponse response) {
      if (stream != this) {
        return;
      }
      if (response.hasOpened()) {
        if (response.getOpened().getDelivery().hasBookmarkInterval()) {
          silence =
              silence(WireTime.duration(response.getOpened().getDelivery().getBookmarkInterval()));
        }
        deliver(new WatchUpdate.Opened(response.getOpened()));
      }
      goesOn(response);
      take(response);
      if (response.hasGoingAway() && stream == this) {
        GoingAway goingAway = response.getGoingAway();
        interrupted(
            new Interruption.GoingAway(
                goingAway.getReason(), WireTime.duration(goingAway.getReconnectWithin())));
      }
      if (stream == this) {
        next();
      }
    }

    private void take(ListAndWatchResponse response) {
      Assembler.Step step;
      try {
        step = assembler.accept(response);
      } catch (Assembler.GroupTooLargeException e) {
        interrupted(new Interruption.GroupTooLarge(maxGroupBytes));
        return;
      }
      step.updates().forEach(WatchCall.this::deliver);
      if (step.reached() != null && !over) {
        reach(step.reached());
      }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      if (stream == this) {
        interrupted(new Interruption.Failed(WatchError.of(status, trailers)));
      }
    }

    private void watchForSilence(Duration wait) {
      cancelTimer = timers.schedule(wait, () -> owner.execute(this::checkSilence));
    }

    private void checkSilence() {
      if (stream != this) {
        return;
      }
      Duration left = silence.minusNanos(timers.nanoTime() - waitingSince);
      if (left.isZero() || left.isNegative()) {
        interrupted(new Interruption.Silence(silence));
      } else {
        watchForSilence(left);
      }
    }

    private static Duration silence(Duration bookmarkInterval) {
      Duration shortest = Duration.ofSeconds(1);
      return (bookmarkInterval.compareTo(shortest) < 0 ? shortest : bookmarkInterval)
          .multipliedBy(3);
    }
  }
}
