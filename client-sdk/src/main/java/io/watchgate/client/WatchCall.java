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
 * One watch, over as many streams as it takes. Thread-safe; everything that happens is done by one
 * owner, a {@link SerialExecutor}, so the fields need no lock.
 */
public final class WatchCall implements AutoCloseable {
  /** A feature (watch.proto): a replica with too many streams may send this to another one. */
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

  /** True if the listener is told all updates, without asking for any. */
  private final boolean isToldAll;

  private volatile boolean over;
  private volatile @Nullable Position last;
  // After RESTART even the start that the caller asked for is out of date.
  private volatile boolean startOver;

  /** True if the caller holds something that a snapshot would replace. */
  private boolean hadPosition;

  /** True while the listener knows of a snapshot that has begun and is not complete. */
  private boolean isCollecting;

  private boolean isToldOver;
  private @Nullable CallStream stream;

  /** The replica of the stream, or of the last one. */
  private @Nullable Replica replica;

  private Runnable cancelOpening = () -> {};

  /**
   * @param demand so many updates the listener wants to begin with
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

  /** Only when there is something to say: reading a logging configuration takes its time. */
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
   * Asks for so many updates more, of a watch that was begun with {@link
   * WatchClient#watchOnDemand}; of others, which are told everything, this has no effect. What
   * nobody asks for stays with the gateway, which deals with it as the request's lag policy says;
   * only the rest of one response waits here.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public void request(long updates) {
    if (updates < 1) {
      throw new IllegalArgumentException(updates + " updates were asked for");
    }
    owner.execute(() -> outlet.request(updates));
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
    } catch (RuntimeException | Error e) { // a transport's, or an interceptor's
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

  /** The replica admitted the stream. */
  void opened() {
    Replica at = replica;
    if (at != null) {
      replicas.works(at);
    }
  }

  private ListAndWatchRequest nextRequest() {
    Position position = last;
    if (position != null) {
      // The token is at the minimum version or beyond it.
      return request.toBuilder()
          .clearMinimumResourceVersion()
          .setResumeToken(position.token())
          .build();
    }
    return startOver ? request.toBuilder().clearStart().build() : request;
  }

  /** True unless the stream was left: then nothing of it is told. */
  boolean hears(CallStream speaker) {
    return stream == speaker;
  }

  void tell(WatchUpdate update) {
    outlet.tell(update);
  }

  /**
   * @param reached where the listener is once it has taken them in; null: inside a group
   */
  void tell(List<WatchUpdate> updates, @Nullable Position reached) {
    outlet.tell(updates, reached == null ? null : () -> reach(reached));
  }

  /** Runs that once the listener has taken in all that it was to be told. */
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
    } catch (RuntimeException | Error e) { // an unknown part of the update was taken in
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
   * Everything up to here was taken in, if by a listener that ended the watch with the last of it.
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
    outlet.forget(); // the next stream brings it again
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

  /** The gateway said where the new stream goes on. */
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
