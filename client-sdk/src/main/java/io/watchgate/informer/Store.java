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
 * What is held, those who wait for it to be something, and the handlers that are told how it came
 * to that. One owner publishes; all else is for any thread.
 */
final class Store<T> {
  private final String name;
  private final Handlers<T> handlers;

  /** Held while what is held and what handlers are told of it differ; before {@link #state}. */
  private final Object telling = new Object();

  /** Guards what follows, and is where those wait who wait for something to happen. */
  private final Object state = new Object();

  private volatile Snapshot<T> held;
  private volatile boolean isSynced;
  private volatile @Nullable WatchError error;
  private volatile @Nullable WatchError trouble;
  private boolean isLeft;

  Store(String name, Snapshot<T> empty, Executor executor, ProblemListeners problems) {
    this.name = name;
    this.held = empty;
    this.handlers = new Handlers<>(executor, problems);
  }

  // ---- what is held

  Snapshot<T> snapshot() {
    return held;
  }

  boolean isSynced() {
    return isSynced;
  }

  /** Why nothing more comes; null: it may. */
  @Nullable WatchError error() {
    return error;
  }

  /** Why nothing comes at the moment; null: it may, or never will. */
  @Nullable WatchError trouble() {
    return trouble;
  }

  /**
   * @param isClosed whether it is not waited for any more; asked again after {@link #wake}
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
      if (isReady && wanted.test(now)) { // without a lock: the next snapshot does not wait for it
        return now;
      }
      synchronized (state) {
        if (now != held || isReady != isSynced) {
          continue;
        }
        if (isLeft || isClosed.getAsBoolean() || error != null) {
          throw new InformerEndedException(error);
        }
        long left = (deadline - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          throw new TimeoutException(
              "%s %s after %s%s"
                  .formatted(
                      name,
                      isReady ? "is not what was waited for" : "is not synced",
                      atMost,
                      troubled()));
        }
        state.wait(left);
      }
    }
  }

  private String troubled() {
    WatchError why = trouble;
    return why == null ? "" : ": " + why.code() + ", " + why.message();
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

  /** Shows one of them everything once more. */
  void showAgain(HandlerDispatcher<T> feed) {
    synchronized (telling) {
      if (isSynced) {
        feed.showAgain(held);
      }
    }
  }

  /** How many changes wait to be told. */
  int waiting() {
    return handlers.waiting();
  }

  // ---- the owner's side

  /**
   * All that matches is there: for the first time, or once more.
   *
   * @param once done as soon as it is held
   */
  void complete(UpdateApplier.Step<T> step, Runnable once) throws InterruptedException {
    synchronized (telling) { // nobody is shown everything again before it has begun
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
   * Something changed, or nothing up to a later version.
   *
   * @param once done as soon as it is held
   */
  void publish(UpdateApplier.Step<T> step, Runnable once) throws InterruptedException {
    synchronized (telling) {
      List<HandlerDispatcher<T>> told;
      synchronized (state) {
        held = step.held();
        once.run();
        told = handlers.all(); // who comes later begins with what is held
        state.notifyAll();
      }
      for (Change<T> change : step.changes()) {
        for (HandlerDispatcher<T> feed : told) {
          feed.tell(change);
        }
      }
    }
  }

  void trouble(@Nullable WatchError why) {
    trouble = why;
  }

  /** Nothing more comes, and that is nobody's fault. */
  void leave() {
    synchronized (state) {
      isLeft = true;
      state.notifyAll();
    }
  }

  void end(WatchError why) {
    synchronized (state) {
      error = why;
      trouble = null;
      state.notifyAll();
    }
  }
}
