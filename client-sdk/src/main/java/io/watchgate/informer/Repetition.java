package io.watchgate.informer;

import java.lang.ref.WeakReference;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Has a handler shown everything again and again. Holds it weakly: the JDK's timer keeps what it
 * was given until its time has come.
 */
final class Repetition<T> implements Runnable {
  private final Store<T> store;
  private final WeakReference<HandlerFeed<T>> place;
  private final long intervalNanos;
  private final Executor executor;

  Repetition(Store<T> store, HandlerFeed<T> feed, long intervalNanos, Executor executor) {
    this.store = store;
    this.place = new WeakReference<>(feed);
    this.intervalNanos = intervalNanos;
    this.executor = executor;
  }

  void begin() {
    CompletableFuture.delayedExecutor(intervalNanos, TimeUnit.NANOSECONDS, executor).execute(this);
  }

  @Override
  public void run() {
    HandlerFeed<T> feed = place.get();
    if (feed != null && !feed.isOver()) {
      store.showAgain(feed);
      begin();
    }
  }
}
