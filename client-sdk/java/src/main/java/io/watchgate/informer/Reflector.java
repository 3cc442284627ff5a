package io.watchgate.informer;

import io.watchgate.client.ErrorAction;
import io.watchgate.client.Interruption;
import io.watchgate.client.WatchCall;
import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchError;
import io.watchgate.client.WatchListener;
import io.watchgate.client.WatchUpdate;
import io.watchgate.proto.v1.ChangeEncoding;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Updater of a {@link Store} from one watch at a time. {@link WatchCall} reconnects after a lost
 * stream; this class opens another watch only if an update does not fit. Updates are applied one
 * after another on the serial executor of the current watch.
 */
final class Reflector<T> {
  private static final Logger log = LoggerFactory.getLogger(Informer.class);

  private final WatchClient client;
  private final String name;
  private final UpdateApplier<T> applier;
  private final ProblemListeners problems;
  private final Store<T> store;
  private final StalenessClock stalenessClock = new StalenessClock(System::nanoTime);
  private final InformerCounters counters = new InformerCounters();
  private final RestartBackoff restarts = new RestartBackoff(System::nanoTime, new Random());

  /**
   * True once an answer of another server was reported in the current outage. Confined to the
   * watch's serial executor.
   */
  private boolean isOtherServerReported;

  /** Guards the following fields. */
  private final Object callLock = new Object();

  private ListAndWatchRequest request;
  private boolean isStarted;
  private @Nullable WatchCall call;
  private volatile boolean isClosed;

  Reflector(
      WatchClient client,
      String name,
      ListAndWatchRequest request,
      UpdateApplier<T> applier,
      ProblemListeners problems) {
    this.client = client;
    this.name = name;
    this.request = request;
    this.applier = applier;
    this.problems = problems;
    this.store = new Store<>(name, applier.held(), client.executor(), problems);
  }

  Store<T> store() {
    return store;
  }

  ProblemListeners problems() {
    return problems;
  }

  InformerCounters counters() {
    return counters;
  }

  long staleChanges() {
    return applier.staleChanges();
  }

  Optional<Duration> staleness() {
    return store.isSynced() ? stalenessClock.staleness() : Optional.empty();
  }

  /** Returns the number of restarts. */
  long restarts() {
    return restarts.count();
  }

  /** Starts the watch. Repeated calls have no effect. */
  void start() {
    synchronized (callLock) {
      if (!isStarted) {
        isStarted = true;
        watch(Duration.ZERO);
      }
    }
  }

  private void watch(Duration delay) {
    try {
      synchronized (callLock) {
        if (!isClosed) {
          call = client.watchAfter(delay, request, new CallListener());
        }
      }
    } catch (IllegalStateException e) { // the client was closed
      store.stop();
    }
  }

  void close() {
    WatchCall open;
    synchronized (callLock) {
      isClosed = true;
      open = call;
      call = null;
    }
    if (open != null) {
      open.close();
    }
  }

  /** Listener of one call, until another call replaces it. */
  private final class CallListener implements WatchListener {
    private boolean isOver;

    @Override
    public void onUpdate(WatchUpdate update) {
      if (isOver || isClosed) {
        return;
      }
      try {
        applyUpdate(update);
      } catch (JsonPatch.UnfitException e) {
        isOver = true;
        problems.accept(new InformerProblem.PatchUnfit(String.valueOf(e.getMessage())));
        disablePatches();
        restart();
      } catch (UpdateApplier.BreachException e) {
        isOver = true;
        problems.accept(new InformerProblem.ContractBroken(String.valueOf(e.getMessage())));
        restart();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // the program is shutting down
        throw new IllegalStateException("interrupted while a handler had no room", e);
      }
    }

    /** Reached if the client was closed, and not this reflector. */
    @Override
    public void onClosed() {
      if (!isOver && !isClosed) {
        store.stop();
      }
    }
  }

  private void applyUpdate(WatchUpdate update)
      throws JsonPatch.UnfitException, UpdateApplier.BreachException, InterruptedException {
    if (update instanceof WatchUpdate.Changes changes) {
      counters.changes(changes.events().size());
      store.publish(
          applier.apply(changes.events(), changes.position().resourceVersion()), () -> {});
    } else if (update instanceof WatchUpdate.Bookmark bookmark) {
      if (bookmark.position().isPresent()) {
        store.publish(
            applier.advance(bookmark.position().get().resourceVersion()),
            () -> stalenessClock.record(bookmark));
      }
    } else if (update instanceof WatchUpdate.SnapshotBegun begun) {
      counters.snapshot();
      applier.begin(begun);
    } else if (update instanceof WatchUpdate.SnapshotObjects objects) {
      applier.collect(objects.objects());
    } else if (update instanceof WatchUpdate.SnapshotComplete complete) {
      store.complete(
          applier.complete(complete.position().resourceVersion(), complete.objects()),
          () -> stalenessClock.record(complete.staleness()));
    } else if (update instanceof WatchUpdate.Interrupted interrupted) {
      counters.interruption();
      applyUpdate(interrupted);
    } else if (update instanceof WatchUpdate.Opened) {
      store.connectionError(null);
      isOtherServerReported = false;
    } else if (update instanceof WatchUpdate.Reconnected reconnected) {
      log.info(
          "{} reconnected after {} ms and {} attempts ({}): {}",
          name,
          reconnected.outage().toMillis(),
          reconnected.attempts(),
          reconnected.continuation(),
          reconnected.cause().message());
    } else if (update instanceof WatchUpdate.Ended ended) {
      log.error("{} has ended: {}", name, ended.error().message());
      store.end(ended.error());
    }
  }

  private void applyUpdate(WatchUpdate.Interrupted interrupted) {
    if (interrupted.cause() instanceof Interruption.Failed failed
        && failed.error().isHistoryLost()) {
      applier.expectOtherHistory();
    }
    if (interrupted.cause().action() == ErrorAction.RESTART) {
      applier.expectSnapshot();
    } else if (interrupted.snapshotDiscarded()) {
      applier.discard();
    }
    if (interrupted.cause() instanceof Interruption.Failed failed) {
      WatchError now = failed.error();
      if (now.isOfUnusableEvent()) {
        restarts.next(); // counts it; the call waits by itself
        problems.accept(new InformerProblem.ContractBroken(now.message()));
      }
      if (now.origin() == WatchError.Origin.OTHER_SERVER && !isOtherServerReported) {
        isOtherServerReported = true;
        problems.accept(new InformerProblem.OtherServerAnswered(now));
      }
      @Nullable WatchError before = store.connectionError();
      store.connectionError(now);
      if (before == null || before.code() != now.code() || !before.reason().equals(now.reason())) {
        log.warn("{} is not connected, and tries again: {} {}", name, now.code(), now.message());
      }
    }
  }

  /** Requests entire objects from now on, because another patch may fail as well. */
  private void disablePatches() {
    synchronized (callLock) {
      request =
          request.toBuilder()
              .setProjection(
                  request.getProjection().toBuilder()
                      .setChangeEncoding(ChangeEncoding.CHANGE_ENCODING_FULL))
              .build();
    }
  }

  /** Restarts with a snapshot; the store keeps its state until the snapshot is complete. */
  private void restart() {
    applier.expectSnapshot();
    Duration wait = restarts.next();
    WatchCall left;
    synchronized (callLock) {
      left = call;
      call = null;
    }
    if (left != null) {
      left.close();
    }
    watch(wait);
  }
}
