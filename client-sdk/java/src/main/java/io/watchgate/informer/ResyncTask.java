package io.watchgate.informer;

import java.lang.ref.WeakReference;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Periodic resync of a handler, at the interval of its {@link HandlerSettings}. It references store
 * and handler weakly, because the JDK's timer keeps a cancelled task until it is due.
 */
final class ResyncTask<T> implements Runnable {
  private final WeakReference<Store<T>> store;
  private final WeakReference<HandlerDispatcher<T>> dispatcher;
  private final long intervalNanos;
  private final Executor executor;

  ResyncTask(
      Store<T> store, HandlerDispatcher<T> dispatcher, long intervalNanos, Executor executor) {
    this.store = new WeakReference<>(store);
    this.dispatcher = new WeakReference<>(dispatcher);
    this.intervalNanos = intervalNanos;
    this.executor = executor;
  }

  void schedule() {
    CompletableFuture.delayedExecutor(intervalNanos, TimeUnit.NANOSECONDS, Runnable::run)
        .execute(this::begin);
  }

  /** Begins on the executor. A resync that it rejects is left out; the next one is not. */
  private void begin() {
    HandlerDispatcher<T> dispatcher = this.dispatcher.get();
    if (dispatcher == null || dispatcher.isRemoved()) {
      return;
    }
    try {
      executor.execute(this);
    } catch (RuntimeException | Error e) {
      schedule();
    }
  }

  @Override
  public void run() {
    Store<T> all = store.get();
    HandlerDispatcher<T> dispatcher = this.dispatcher.get();
    if (all != null && dispatcher != null && !dispatcher.isRemoved()) {
      all.resync(dispatcher);
      schedule();
    }
  }
}
