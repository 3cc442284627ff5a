package io.watchgate.informer;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Dispatcher of one handler's changes. It occupies one thread of an executor at a time, and only
 * while changes are queued. Thread-safe; the handler is never called while the lock is held.
 */
final class HandlerDispatcher<T> implements HandlerRegistration {
  private static final Executor RETRY_EXECUTOR =
      CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS, Runnable::run);

  /** True on a thread that currently calls a handler, of any informer. */
  private static final ThreadLocal<Boolean> IS_HANDLER_THREAD =
      ThreadLocal.withInitial(() -> false);

  private final Handler<T> handler;
  private final Executor executor;
  private final Consumer<InformerProblem> problems;
  private final Consumer<HandlerDispatcher<T>> whenClosed;
  private final HandlerQueue<T> queue;
  private boolean isDelivering;

  /**
   * True while the executor has a task of this dispatcher, or a retry of a rejected task is
   * scheduled.
   */
  private boolean isScheduled;

  /** True from the first rejection to the next run, so that only the first rejection is logged. */
  private boolean isRejected;

  private boolean isClosed;
  private volatile boolean hasSynced;

  HandlerDispatcher(
      Handler<T> handler,
      HandlerSettings settings,
      Executor executor,
      Consumer<InformerProblem> problems,
      Consumer<HandlerDispatcher<T>> whenClosed) {
    this.handler = handler;
    this.executor = executor;
    this.problems = problems;
    this.whenClosed = whenClosed;
    this.queue = new HandlerQueue<>(settings);
  }

  // ---- called by the informer

  /**
   * Waits until the queue has room, then queues a change. If the handler is removed before that,
   * the change is dropped.
   */
  synchronized void deliver(Change<T> change) throws InterruptedException {
    while (!isClosed && !queue.hasRoom()) {
      wait();
    }
    if (!isClosed) {
      queue.add(change);
      schedule();
    }
  }

  synchronized void addInitial(Snapshot<T> all) {
    add(new HandlerQueue.InitialObjects<>(all));
  }

  synchronized void resync(Snapshot<T> all) {
    add(new HandlerQueue.Resync<>(all));
  }

  private void add(HandlerQueue.Item<T> item) {
    if (!isClosed) {
      queue.add(item);
      schedule();
    }
  }

  private void schedule() {
    if (!isScheduled) {
      isScheduled = true;
      try {
        executor.execute(this::run);
      } catch (RuntimeException | Error e) {
        if (!isRejected) {
          isRejected = true;
          LoggerFactory.getLogger(Informer.class)
              .warn("The client's executor rejected a task; retrying", e);
        }
        RETRY_EXECUTOR.execute(this::scheduleAgain);
      }
    }
  }

  /** Retries after the executor rejected the task. The delay does not block other handlers. */
  private synchronized void scheduleAgain() {
    isScheduled = false;
    if (!isClosed && !queue.isEmpty()) {
      schedule();
    }
  }

  // ---- calls of the handler

  private void run() {
    boolean before =
        IS_HANDLER_THREAD.get(); // true before if the executor runs tasks on the calling thread
    IS_HANDLER_THREAD.set(true);
    try {
      deliver();
    } finally {
      IS_HANDLER_THREAD.set(before); // remove() would create the value again on each run
    }
  }

  private void deliver() {
    for (HandlerQueue.Item<T> item = take(); item != null; item = take()) {
      if (item instanceof HandlerQueue.SingleChange<T> one) {
        deliverOne(one.change());
      } else if (item instanceof HandlerQueue.InitialObjects<T> initial) {
        deliverAll(initial.all(), Change::added);
        runGuarded(Optional.empty(), handler::onSynced);
        hasSynced = true;
      } else if (item instanceof HandlerQueue.Resync<T> resync) {
        deliverAll(resync.all(), same -> Change.updated(same, same));
      }
    }
  }

  /** Returns the next item; null if the queue is empty and this thread stops. */
  private synchronized HandlerQueue.@Nullable Item<T> take() {
    HandlerQueue.@Nullable Item<T> item = isClosed ? null : queue.next();
    isDelivering = item != null;
    isScheduled = item != null;
    isRejected = false;
    notifyAll(); // wakes threads that wait for space or for the end
    return item;
  }

  private void deliverAll(Snapshot<T> all, Function<StoredObject<T>, Change<T>> change) {
    all.forEach(object -> deliverOne(change.apply(object)));
  }

  private void deliverOne(Change<T> change) {
    runGuarded(Optional.of(change.key()), () -> change.notifyRemoval(handler));
    runGuarded(Optional.of(change.key()), () -> change.notifyState(handler));
  }

  private void runGuarded(Optional<NamespacedName> key, Runnable task) {
    if (isRemoved()) {
      return;
    }
    try {
      task.run();
    } catch (Throwable e) { // an Error of the handler must not end this thread
      problems.accept(new InformerProblem.HandlerFailed(key, e));
    }
  }

  /** Returns whether the handler was removed. */
  synchronized boolean isRemoved() {
    return isClosed;
  }

  // ---- called by any thread

  @Override
  public boolean hasSynced() {
    return hasSynced;
  }

  @Override
  public synchronized int pendingChanges() {
    return queue.changeCount();
  }

  @Override
  public void close() {
    remove();
    if (!isHandlerThread()) {
      awaitIdle();
    }
  }

  /** Removes the handler without waiting for a running call. */
  void remove() {
    whenClosed.accept(this);
    synchronized (this) {
      isClosed = true;
      queue.clear();
      notifyAll();
    }
  }

  /**
   * Returns whether the current thread runs a handler. Two handlers that wait for each other would
   * deadlock.
   */
  static boolean isHandlerThread() {
    return IS_HANDLER_THREAD.get();
  }

  /** Waits until the handler has returned. */
  synchronized void awaitIdle() {
    boolean interrupted = false;
    while (isDelivering) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
