package io.watchgate.client;

import com.google.protobuf.ByteString;
import io.grpc.Status;
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
  private final OutageTracker outages;
  private final ListAndWatchRequest request;
  private final WatchListener listener;
  private final DemandQueue outlet;
  private final Consumer<WatchCall> whenOver;

  /** True if the listener receives all updates without requesting them. */
  private final boolean isToldAll;

  private volatile boolean over;
  private volatile @Nullable Position last;
  // True after RESTART, when even the start that the caller requested is out of date.
  private volatile boolean startOver;

  /** True if the caller holds state that a snapshot would replace. */
  private boolean hadPosition;

  /** True while the listener has received the begin of a snapshot but not its end. */
  private boolean isCollecting;

  private boolean isToldOver;
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
      Consumer<WatchCall> whenOver) {
    this.client = client;
    this.replicas = client.replicas();
    this.timers = client.timers();
    this.owner = new SerialExecutor(client.executor(), client.timers());
    this.outages = new OutageTracker(client);
    this.request = request;
    this.listener = listener;
    this.outlet = new DemandQueue(this::deliver, demand);
    this.isToldAll = demand == Long.MAX_VALUE;
    this.whenOver = whenOver;
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
    if (!over) {
      cancelOpening = timers.schedule(delay, () -> owner.execute(this::open));
    }
  }

  /**
   * Returns the token of the last update that the listener has processed. A later process may start
   * with this token. Empty if there is none yet, or if its history is lost and the watch starts
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
    owner.execute(() -> outlet.request(updates));
  }

  /**
   * Ends the watch. The listener receives no further update; a running call of the listener is not
   * awaited. May be called more than once, and by the listener.
   */
  @Override
  public void close() {
    over = true;
    owner.execute(this::shut);
  }

  private void shut() {
    over = true;
    outlet.forget();
    cancelOpening.run();
    CallStream open = stream;
    stream = null;
    if (open != null) {
      open.leave("the watch was closed");
    }
    whenOver.accept(this);
    if (!isToldOver) {
      isToldOver = true;
      try {
        listener.onOver();
      } catch (RuntimeException e) {
        log().error("The watch listener failed when its watch was over", e);
      }
    }
  }

  private void open() {
    if (over) {
      return;
    }
    try {
      openSomewhere();
    } catch (RuntimeException | Error e) { // thrown by a transport or an interceptor
      interrupted(new Interruption.Failed(WatchError.notTried(e)));
    }
  }

  private void openSomewhere() {
    Replica chosen;
    try {
      chosen = replicas.choose(outages.isOne() ? replica : null);
    } catch (UnknownHostException e) {
      replica = null;
      interrupted(new Interruption.Failed(WatchError.unknownHost(e)));
      return;
    }
    replica = chosen;
    stream =
        new CallStream(
            this,
            chosen.connection(),
            timers,
            owner,
            client.maxGroupBytes(),
            isToldAll ? ResponseWindow.ofSmallOnes() : ResponseWindow.none(),
            request.getDelivery());
    ListAndWatchRequest next = nextRequest();
    stream.open(
        replicas.hasOther(chosen) ? next.toBuilder().addFeatures(KNOWS_REPLICAS).build() : next);
  }

  /** Records that the replica admitted the stream. */
  void opened() {
    Replica at = replica;
    if (at != null) {
      replicas.works(at);
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
    return startOver ? request.toBuilder().clearStart().build() : request;
  }

  /** Returns whether the stream is the current one. Responses of abandoned streams are ignored. */
  boolean hears(CallStream speaker) {
    return stream == speaker;
  }

  void tell(WatchUpdate update) {
    outlet.tell(update);
  }

  /**
   * @param reached position once the listener has processed the updates; null inside a group
   */
  void tell(List<WatchUpdate> updates, @Nullable Position reached) {
    outlet.tell(updates, reached == null ? null : () -> reach(reached));
  }

  /** Runs the task once the listener has processed all queued updates. */
  void whenTold(Runnable task) {
    outlet.then(task);
  }

  private void deliver(WatchUpdate update) {
    if (over) {
      outlet.forget();
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
        outlet.forget();
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
  private void reach(Position position) {
    Position before = last;
    last = position;
    hadPosition = true;
    if (before == null || !before.token().equals(position.token())) {
      outages.forgive();
    }
  }

  void interrupted(Interruption cause) {
    CallStream left = stream;
    stream = null;
    if (left != null) {
      left.leave("left for the next stream");
    }
    if (over) {
      return;
    }
    Replica at = replica;
    boolean elsewhere = at != null && replicas.interrupted(at, cause);
    if (cause.action() == ErrorAction.STOP && cause instanceof Interruption.Failed failed) {
      end(failed.error());
      return;
    }
    Optional<WatchError> hopeless = outages.giveUp(cause, replicas.hasAnswered());
    if (hopeless.isPresent()) {
      end(hopeless.get());
      return;
    }
    outlet.forget(); // the next stream sends it again
    int attempts = outages.add(cause, Optional.ofNullable(last));
    if (cause.action() == ErrorAction.RESTART) {
      last = null;
      startOver = true;
    }
    Duration delay = outages.delay(cause, elsewhere);
    tell(new WatchUpdate.Interrupted(cause, attempts, delay, isCollecting));
    openAfter(delay);
  }

  private void end(WatchError error) {
    CallStream open = stream;
    stream = null;
    if (open != null) {
      open.leave("the watch has ended");
    }
    tell(new WatchUpdate.Ended(error));
    whenTold(this::shut);
  }

  /** Records how the gateway continues the watch on the new stream. */
  void goesOn(ListAndWatchResponse response) {
    if (response.hasResumed() || response.hasSnapshotStarted()) {
      outages.end(continuation(response)).ifPresent(this::tell);
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
