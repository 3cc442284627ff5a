package io.watchgate.informer;

import io.watchgate.client.WatchError;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The informer's current snapshot, the threads that wait for a condition on it, and the handlers to
 * notify. One thread at a time publishes; all other methods may be called by any thread.
 */
final class Store<T> {
  private final String name;
  private final Handlers<T> handlers;

  /**
   * Lock of publishing: held until the handlers have been notified of the published snapshot.
   * Acquired before {@link #state}.
   */
  private final Object publishLock = new Object();

  /** Guards the following fields; threads wait on it for a change. */
  private final Object state = new Object();

  private volatile Snapshot<T> held;
  private volatile boolean isSynced;
  private volatile @Nullable WatchError error;
  private volatile @Nullable WatchError connectionError;
  private boolean isStopped;

  Store(String name, Snapshot<T> empty, Executor executor, ProblemListeners problems) {
    this.name = name;
    this.held = empty;
    this.handlers = new Handlers<>(executor, problems);
  }

  // ---- snapshot

  Snapshot<T> snapshot() {
    return held;
  }

  boolean isSynced() {
    return isSynced;
  }

  /** Returns the error that ended the informer; null if it has not ended. */
  @Nullable WatchError error() {
    return error;
  }

  /** Returns the reason of the current disconnection; null if connected or ended. */
  @Nullable WatchError connectionError() {
    return connectionError;
  }

  /**
   * @param isClosed whether to stop waiting; evaluated again after {@link #wake}
   */
  Snapshot<T> await(
      Predicate<? super Snapshot<T>> wanted, Duration atMost, BooleanSupplier isClosed)
      throws InformerEndedException, TimeoutException, InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (true) {
      Snapshot<T> now;
      boolean isReady;
      synchronized (state) {
        now = held;
        isReady = isSynced;
      }
      if (isReady && wanted.test(now)) { // without the lock, so that publishing is not delayed
        return now;
      }
      synchronized (state) {
        if (now != held || isReady != isSynced) {
          continue;
        }
        if (isStopped || isClosed.getAsBoolean() || error != null) {
          throw new InformerEndedException(error);
        }
        long left = (deadline - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          throw new TimeoutException(
              "%s %s after %d ms%s"
                  .formatted(
                      name,
                      isReady ? "does not fulfil the condition" : "is not synced",
                      atMost.toMillis(),
                      connectionErrorText()));
        }
        state.wait(left);
      }
    }
  }

  private String connectionErrorText() {
    WatchError cause = connectionError;
    return cause == null ? "" : ": " + cause.code() + ", " + cause.message();
  }

  void wake() {
    synchronized (state) {
      state.notifyAll();
    }
  }

  // ---- handlers

  HandlerDispatcher<T> add(Handler<T> handler, HandlerSettings settings) {
    synchronized (state) {
      return handlers.add(handler, settings, isSynced ? held : null);
    }
  }

  /** Queues all objects for one handler again. */
  void resync(HandlerDispatcher<T> dispatcher) {
    synchronized (publishLock) {
      if (isSynced) {
        dispatcher.resync(held);
      }
    }
  }

  /** Returns the number of queued changes of all handlers. */
  int pendingChanges() {
    return handlers.pendingChanges();
  }

  // ---- called by the reflector

  /**
   * Publishes a complete snapshot of the gateway, the first or a later one.
   *
   * @param once runs when the snapshot is published
   */
  void complete(UpdateApplier.Step<T> step, Runnable once) throws InterruptedException {
    synchronized (publishLock) { // a resync must not precede the initial objects
      synchronized (state) {
        if (!isSynced) {
          held = step.held();
          once.run();
          isSynced = true;
          handlers.begin(held);
          state.notifyAll();
          return;
        }
      }
      publish(step, once);
    }
  }

  /**
   * Publishes changes, or a later version without changes.
   *
   * @param once runs when the snapshot is published
   */
  void publish(UpdateApplier.Step<T> step, Runnable once) throws InterruptedException {
    synchronized (publishLock) {
      List<HandlerDispatcher<T>> dispatchers;
      synchronized (state) {
        held = step.held();
        once.run();
        dispatchers = handlers.all(); // a handler that is added later starts with this snapshot
        state.notifyAll();
      }
      for (Change<T> change : step.changes()) {
        for (HandlerDispatcher<T> dispatcher : dispatchers) {
          dispatcher.deliver(change);
        }
      }
    }
  }

  void connectionError(@Nullable WatchError cause) {
    connectionError = cause;
  }

  /** Ends the store without an error. */
  void stop() {
    synchronized (state) {
      isStopped = true;
      state.notifyAll();
    }
  }

  void end(WatchError cause) {
    synchronized (state) {
      error = cause;
      connectionError = null;
      state.notifyAll();
    }
  }
}
