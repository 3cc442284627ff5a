package io.watchgate.client;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.GoingAway;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.time.Duration;

/** One gRPC stream of a {@link WatchCall}. All its methods run on the call's serial executor. */
final class CallStream extends ClientCall.Listener<ListAndWatchResponse> {
  private static final int DEFAULT_RESPONSE_BYTES = 4 << 20;
  private static final Duration DEFAULT_BOOKMARK_INTERVAL = Duration.ofSeconds(30);
  private static final Duration SHORTEST_BOOKMARK_INTERVAL = Duration.ofSeconds(1);
  private static final Duration LONGEST_BOOKMARK_INTERVAL = Duration.ofMinutes(5);

  private final WatchCall watch;
  private final Scheduler timers;
  private final SerialExecutor owner;
  private final UpdateAssembler assembler;
  private final ClientCall<ListAndWatchRequest, ListAndWatchResponse> call;
  private Duration silence = silence(DEFAULT_BOOKMARK_INTERVAL);
  private Runnable cancelTimer = () -> {};

  private final ResponseWindow window;

  /** Number of responses that the listener has not processed yet. */
  private int unprocessed;

  private long waitingSince;

  CallStream(
      WatchCall watch,
      ReplicaChannel connection,
      Scheduler timers,
      SerialExecutor owner,
      UpdateAssembler assembler,
      ResponseWindow ahead,
      Delivery delivery) {
    this.watch = watch;
    this.timers = timers;
    this.owner = owner;
    this.window = ahead;
    this.assembler = assembler;
    setBookmarkInterval(delivery);
    // A negative number is a large unsigned number. The server may raise a small limit to its own
    // minimum, so the client never accepts less than the default.
    int requested = delivery.getMaxResponseBytes();
    call =
        connection.newCall(
            owner, requested < 0 ? Integer.MAX_VALUE : Math.max(requested, DEFAULT_RESPONSE_BYTES));
  }

  void open(ListAndWatchRequest request) {
    call.start(this, new Metadata());
    call.sendMessage(request);
    call.halfClose();
    requestMore(window.refillOne());
    scheduleSilenceCheck(silence);
  }

  /** Cancels the stream; none of its later responses reaches the listener. */
  void cancel(String reason) {
    cancelTimer.run();
    call.cancel(reason, null);
  }

  /**
   * Requests more responses. Called after the previous response was processed, which gives
   * back-pressure.
   */
  private void requestMore(int responses) {
    waitingSince = timers.nanoTime();
    if (responses > 0) {
      call.request(responses);
    }
  }

  @Override
  public void onMessage(ListAndWatchResponse response) {
    if (!watch.isCurrent(this)) {
      return;
    }
    window.recordResponse();
    unprocessed++;
    if (response.hasOpened()) {
      watch.onOpened();
      setBookmarkInterval(response.getOpened().getDelivery());
      scheduleSilenceCheck(silence); // the check of the opened call may be much later
      watch.enqueue(new WatchUpdate.Opened(response.getOpened()));
    }
    watch.recordContinuation(response);
    try {
      UpdateAssembler.Step step = assembler.accept(response);
      watch.enqueue(step.updates(), step.reached());
      watch.afterDelivery(() -> onProcessed(response, step.reached() != null));
    } catch (UpdateAssembler.UnusableException e) {
      watch.onUnusableResponse(e.interruption());
    }
  }

  /**
   * @param isWhole whether the response completed a group of changes
   */
  private void onProcessed(ListAndWatchResponse response, boolean isWhole) {
    unprocessed--;
    if (response.hasGoingAway() && watch.isCurrent(this)) {
      GoingAway goingAway = response.getGoingAway();
      watch.onInterrupted(
          new Interruption.GoingAway(
              goingAway.getReason(), WireTime.duration(goingAway.getReconnectWithin())));
    }
    if (watch.isCurrent(this)) {
      requestMore(isWhole ? window.refillFor(response.getSerializedSize()) : window.refillOne());
    }
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    if (watch.isCurrent(this)) {
      watch.onInterrupted(new Interruption.Failed(WatchError.of(status, trailers)));
    }
  }

  private void setBookmarkInterval(Delivery delivery) {
    if (delivery.hasBookmarkInterval()) {
      silence = silence(WireTime.duration(delivery.getBookmarkInterval()));
    }
  }

  /**
   * Starts the silence timer in place of the one before. It is started again if a response arrived
   * in the meantime.
   */
  private void scheduleSilenceCheck(Duration wait) {
    cancelTimer.run();
    cancelTimer = timers.schedule(wait, () -> owner.execute(this::checkSilence));
  }

  private void checkSilence() {
    if (!watch.isCurrent(this)) {
      return;
    }
    if (unprocessed > 0 || !window.isWaiting()) {
      scheduleSilenceCheck(silence); // no response was requested
      return;
    }
    Duration left = silence.minusNanos(timers.nanoTime() - waitingSince);
    if (left.isZero() || left.isNegative()) {
      watch.onInterrupted(new Interruption.Silence(silence));
    } else {
      scheduleSilenceCheck(left);
    }
  }

  /** Returns three bookmark intervals, with the interval limited to the range of the contract. */
  private static Duration silence(Duration bookmarkInterval) {
    Duration within =
        bookmarkInterval.compareTo(SHORTEST_BOOKMARK_INTERVAL) < 0
            ? SHORTEST_BOOKMARK_INTERVAL
            : bookmarkInterval.compareTo(LONGEST_BOOKMARK_INTERVAL) > 0
                ? LONGEST_BOOKMARK_INTERVAL
                : bookmarkInterval;
    return within.multipliedBy(3);
  }
}
