package io.watchgate.cache;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Lookup of which at most one runs and one is queued. A question that is asked while a lookup runs
 * waits for the next one, together with all others: the running one may have been answered before
 * the reason of the question existed. Thread-safe; nothing blocks.
 *
 * @param <Q> question
 * @param <A> answer
 */
final class CoalescedLookup<Q, A> {
  private final Executor threads;
  private final BinaryOperator<Q> merge;
  private final Pause pause;
  private final Lookup<Q, A> lookup;
  private final Function<Throwable, A> failed;
  private @Nullable Pending<Q, A> pending;
  private boolean running;

  /** Lookup that blocks its thread. */
  @FunctionalInterface
  interface Lookup<Q, A> {
    A answer(Q question) throws InterruptedException;
  }

  /** Pause before each lookup, in which further questions may join it. */
  @FunctionalInterface
  interface Pause {
    Pause NONE = () -> {};

    void await() throws InterruptedException;
  }

  private record Pending<Q, A>(Q question, CompletableFuture<A> answer) {}

  /**
   * Creates a lookup.
   *
   * @param threads runs each task on a new thread
   * @param merge returns the question that covers two
   * @param failed returns the answer after an exception of the lookup
   */
  CoalescedLookup(
      Executor threads,
      BinaryOperator<Q> merge,
      Pause pause,
      Lookup<Q, A> lookup,
      Function<Throwable, A> failed) {
    this.threads = threads;
    this.merge = merge;
    this.pause = pause;
    this.lookup = lookup;
    this.failed = failed;
  }

  /** Asks; the lookup that answers begins after this call. The stage always completes normally. */
  synchronized CompletionStage<A> ask(Q question) {
    Pending<Q, A> before = pending;
    Pending<Q, A> next =
        before == null
            ? new Pending<>(question, new CompletableFuture<>())
            : new Pending<>(merge.apply(before.question, question), before.answer);
    pending = next;
    if (!running) {
      running = true;
      threads.execute(this::run);
    }
    return next.answer;
  }

  private void run() {
    boolean more = true;
    while (more) {
      more = runOnce();
    }
  }

  /** Answers the pending questions; returns false if there are none. */
  private boolean runOnce() {
    try {
      if (isPending()) {
        pause.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Pending<Q, A> next = take();
    if (next == null) {
      return false;
    }
    A answer;
    try {
      answer = lookup.answer(next.question);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      answer = failed.apply(e);
    } catch (RuntimeException | Error e) {
      answer = failed.apply(e);
    }
    next.answer.complete(answer);
    return true;
  }

  private synchronized boolean isPending() {
    return pending != null;
  }

  private synchronized @Nullable Pending<Q, A> take() {
    Pending<Q, A> next = pending;
    pending = null;
    running = next != null;
    return next;
  }
}
