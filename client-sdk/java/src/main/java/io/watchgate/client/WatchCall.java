package io.watchgate.client;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.watchgate.proto.v1.ChangeEncoding;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One watch, over as many gRPC streams as needed. Thread-safe: everything runs on one {@link
 * SerialExecutor}, so the fields need no lock.
 */
public final class WatchCall implements AutoCloseable {
  /**
   * Feature of watch.proto: a replica with too many streams may redirect this client to another
   * replica.
   */
  private static final String KNOWS_REPLICAS = "replicas";

  private final ClientContext client;
  private final ReplicaSelector replicas;
  private final Scheduler timers;
  private final SerialExecutor owner;
  private final ReconnectTracker reconnects;
  private final ListAndWatchRequest request;
  private final WatchListener listener;
  private final DemandQueue queue;
  private final Consumer<WatchCall> onClosed;

  /** True if the listener receives all updates without requesting them. */
  private final boolean hasUnlimitedDemand;

  private volatile boolean isClosed;
  private volatile @Nullable Position last;
  // True after RESTART, when even the start that the caller requested is out of date.
  private volatile boolean startOver;

  /** Set once a gateway has said that the timeline is another one. */
  private volatile boolean lostHistory;

  /**
   * Set by a response that could not be used; cleared by the next bookmark. The snapshot in between
   * is no progress: the next such response requests another one.
   */
  private boolean hadUnusableResponse;

  /** True if the caller holds state that a snapshot would replace. */
  private boolean hadPosition;

  /** True while the listener has received the begin of a snapshot but not its end. */
  private boolean isCollecting;

  /** True once the listener is sent {@link WatchUpdate.Ended}, for which it may have to ask. */
  private boolean isEnding;

  private boolean isClosedNotified;
  private @Nullable CallStream stream;

  /** Replica of the current stream, or of the last one. */
  private @Nullable Replica replica;

  private Runnable cancelOpening = () -> {};

  /**
   * @param demand number of updates that the listener requests at the start
   */
  WatchCall(
      ClientContext client,
      ListAndWatchRequest request,
      WatchListener listener,
      long demand,
      Consumer<WatchCall> onClosed) {
    this.client = client;
    this.replicas = client.replicas();
    this.timers = client.timers();
    this.owner = new SerialExecutor(client.executor(), client.timers());
    this.reconnects = new ReconnectTracker(client);
    this.request = request;
    this.listener = listener;
    this.queue = new DemandQueue(this::deliver, demand);
    this.hasUnlimitedDemand = demand == Long.MAX_VALUE;
    this.onClosed = onClosed;
    hadPosition =
        switch (request.getStartCase()) {
          case RESUME_TOKEN -> !request.getResumeToken().isEmpty();
          case RESOURCE_VERSION, FROM_NOW -> true;
          case START_NOT_SET -> false;
        };
  }

  /** Created on first use, because reading a logging configuration takes time. */
  private static Logger log() {
    return LoggerFactory.getLogger(WatchCall.class);
  }

  void start(Duration delay) {
    owner.execute(delay.isZero() ? this::open : () -> openAfter(delay));
  }

  private void openAfter(Duration delay) {
    if (!isClosed && !isEnding) {
      cancelOpening = timers.schedule(delay, () -> owner.execute(this::open));
    }
  }

  /**
   * Returns the token of the last update that the listener has processed. A later process may start
   * with this token. Empty if there is none yet, or if its timeline is lost and the watch starts
   * over.
   */
  public ByteString lastToken() {
    Position position = last;
    if (position != null) {
      return position.token();
    }
    return startOver ? ByteString.EMPTY : request.getResumeToken();
  }

  /**
   * Requests further updates of a watch that was started with {@link WatchClient#watchOnDemand}.
   * Other watches receive everything, so the call has no effect. Updates that are not requested
   * stay at the gateway, which handles them by the lag policy of the request; only the rest of one
   * response is buffered here.
   *
   * @throws IllegalArgumentException if {@code updates} is less than 1
   */
  public void request(long updates) {
    if (updates < 1) {
      throw new IllegalArgumentException(updates + " updates were asked for");
    }
    owner.execute(() -> queue.request(updates));
  }

  /**
   * Ends the watch. The listener receives no further update; a running call of the listener is not
   * awaited. May be called more than once, and by the listener.
   */
  @Override
  public void close() {
    isClosed = true;
    owner.execute(this::finish);
  }

  /**
   * Ends the watch on this thread if the client's threads have ended before they could. If one of
   * them still runs a task of this watch, that thread ends the watch afterwards.
   */
  void endWithoutThread() {
    isClosed = true;
    owner.runHere(this::finish);
  }

  private void finish() {
    isClosed = true;
    queue.clear();
    cancelOpening.run();
    CallStream open = stream;
    stream = null;
    if (open != null) {
      open.cancel("the watch was closed");
    }
    onClosed.accept(this);
    if (!isClosedNotified) {
      isClosedNotified = true;
      try {
        listener.onClosed();
      } catch (RuntimeException e) {
        log().error("The watch listener failed when its watch was over", e);
      }
    }
  }

  private void open() {
    if (isClosed || isEnding) {
      return;
    }
    try {
      openAtReplica();
    } catch (RuntimeException | Error e) { // thrown by a transport or an interceptor
      onInterrupted(new Interruption.Failed(WatchError.notTried(e)));
    }
  }

  private void openAtReplica() {
    Replica chosen;
    try {
      chosen = replicas.choose(reconnects.isInOutage() ? replica : null);
    } catch (UnknownHostException e) {
      replica = null;
      onInterrupted(new Interruption.Failed(WatchError.unknownHost(e)));
      return;
    }
    replica = chosen;
    stream =
        new CallStream(
            this,
            chosen.connection(),
            timers,
            owner,
            new UpdateAssembler(
                client.maxGroupBytes(),
                request.getProjection().getChangeEncoding()
                    == ChangeEncoding.CHANGE_ENCODING_PATCH),
            hasUnlimitedDemand ? ResponseWindow.ofSmallResponses() : ResponseWindow.ofOne(),
            request.getDelivery());
    ListAndWatchRequest next = nextRequest();
    stream.open(
        replicas.hasOtherPreferred(chosen)
            ? next.toBuilder().addFeatures(KNOWS_REPLICAS).build()
            : next);
  }

  /** Records that the replica admitted the stream. */
  void onOpened() {
    Replica at = replica;
    if (at != null) {
      replicas.recordAdmission(at);
    }
  }

  private ListAndWatchRequest nextRequest() {
    Position position = last;
    if (position != null) {
      // The position of the token is at or after the minimum version.
      return request.toBuilder()
          .clearMinimumResourceVersion()
          .setResumeToken(position.token())
          .build();
    }
    if (!startOver) {
      return request;
    }
    ListAndWatchRequest.Builder next = request.toBuilder().clearStart();
    if (lostHistory) {
      // A version of another timeline, which this one may never reach.
      next.clearMinimumResourceVersion();
    }
    return next.build();
  }

  /** Returns whether the stream is the current one. Responses of abandoned streams are ignored. */
  boolean isCurrent(CallStream sender) {
    return stream == sender;
  }

  void enqueue(WatchUpdate update) {
    queue.enqueue(update);
  }

  /**
   * @param reached position once the listener has processed the updates; null inside a group
   */
  void enqueue(List<WatchUpdate> updates, @Nullable Position reached) {
    int last = updates.size() - 1;
    boolean isBookmark = last >= 0 && updates.get(last) instanceof WatchUpdate.Bookmark;
    if (reached != null && last > 0 && isBookmark) {
      // Otherwise the changes would come again if the stream ended before the bookmark is taken.
      queue.enqueue(updates.subList(0, last), () -> reach(reached, true));
      queue.enqueue(updates.get(last));
    } else {
      queue.enqueue(updates, reached == null ? null : () -> reach(reached, isBookmark));
    }
  }

  /** Runs the task once the listener has processed all queued updates. */
  void afterDelivery(Runnable task) {
    queue.enqueueTask(task);
  }

  private void deliver(WatchUpdate update) {
    if (isClosed) {
      queue.clear();
      return;
    }
    if (update instanceof WatchUpdate.SnapshotBegun) {
      isCollecting = true;
    } else if (update instanceof WatchUpdate.SnapshotComplete
        || update instanceof WatchUpdate.Interrupted) {
      isCollecting = false;
    }
    try {
      listener.onUpdate(update);
    } catch (RuntimeException | Error e) { // the listener may have processed a part of the update
      log().error("The watch listener failed; its watch ends", e);
      if (!(update instanceof WatchUpdate.Ended)) {
        queue.clear();
        end(
            new WatchError(
                Status.Code.ABORTED,
                "",
                ErrorAction.STOP,
                "the listener of this watch threw " + e,
                Duration.ZERO));
      }
    }
  }

  /**
   * Records the position as processed, even if the listener closed the watch with the last update.
   */
  private void reach(Position position, boolean isBookmark) {
    Position before = last;
    last = position;
    hadPosition = true;
    boolean isNew = before == null || !before.token().equals(position.token());
    if (hadUnusableResponse ? isBookmark : isNew) {
      reconnects.resetBackoff();
      hadUnusableResponse = false;
    }
  }

  void onUnusableResponse(Interruption cause) {
    hadUnusableResponse = true;
    onInterrupted(cause);
  }

  void onInterrupted(Interruption cause) {
    CallStream left = stream;
    stream = null;
    if (left != null) {
      left.cancel("replaced by the next stream");
    }
    if (isClosed) {
      return;
    }
    Replica at = replica;
    boolean elsewhere = at != null && replicas.recordInterruption(at, cause);
    if (cause.action() == ErrorAction.STOP && cause instanceof Interruption.Failed failed) {
      end(failed.error());
      return;
    }
    Optional<WatchError> finalError = reconnects.finalError(cause, replicas.hasAnswered());
    if (finalError.isPresent()) {
      end(finalError.get());
      return;
    }
    queue.clear(); // the next stream sends it again
    int attempts = reconnects.recordInterruption(cause, Optional.ofNullable(last));
    if (cause.action() == ErrorAction.RESTART) {
      last = null;
      startOver = true;
      lostHistory |= cause instanceof Interruption.Failed failed && failed.error().isHistoryLost();
    }
    Duration delay = reconnects.delay(cause, elsewhere);
    enqueue(new WatchUpdate.Interrupted(cause, attempts, delay, isCollecting));
    openAfter(delay);
  }

  private void end(WatchError error) {
    isEnding = true;
    CallStream open = stream;
    stream = null;
    if (open != null) {
      open.cancel("the watch has ended");
    }
    enqueue(new WatchUpdate.Ended(error));
    afterDelivery(this::finish);
  }

  /** Records how the gateway continues the watch on the new stream. */
  void recordContinuation(ListAndWatchResponse response) {
    if (response.hasResumed() || response.hasSnapshotStarted()) {
      reconnects.end(continuation(response)).ifPresent(this::enqueue);
    }
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
}
