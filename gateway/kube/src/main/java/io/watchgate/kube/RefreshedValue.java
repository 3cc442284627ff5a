package io.watchgate.kube;

import io.watchgate.cache.UpstreamFailure;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Value from the apiserver that stays in use while it is refreshed in the background
 * (stale-while-revalidate). At most one question is in flight, on a thread of its own; all callers
 * that wait for an answer wait for the same one. Thread-safe; the lock is never held while the
 * apiserver is asked.
 */
final class RefreshedValue<T> {
  private static final Logger log = LoggerFactory.getLogger(RefreshedValue.class);

  private final String description;
  private final Question<T> question;
  private final LongSupplier nanoTime;
  private final Executor threads;
  private Known<T> known = new Known<>(null, 0, null, 0);
  private @Nullable CompletableFuture<Known<T>> inFlight;

  /** Request to the apiserver; blocks. */
  interface Question<T> {
    /**
     * Returns the answer.
     *
     * @param before the last answer, null before the first
     * @param askedAt time at which this question was asked, in {@code nanoTime}
     */
    T ask(@Nullable T before, long askedAt) throws KubeException;
  }

  /**
   * The last answer.
   *
   * @param value null before the first answer
   * @param askedAt time at which the value was asked for; undefined without a value
   * @param failure failure of the last question; null: it was answered
   * @param failedAt time of the failure; undefined without one
   */
  record Known<T>(@Nullable T value, long askedAt, @Nullable KubeException failure, long failedAt) {
    /** Returns whether there is a value that was asked for at that time or later. */
    boolean isSince(long since) {
      return value != null && askedAt - since >= 0;
    }

    private boolean failedSince(long since) {
      return failure != null && failedAt - since > 0;
    }
  }

  /**
   * Creates a value, without a question yet.
   *
   * @param description name of the value, for errors
   * @param threads runs each question on a virtual thread of its own
   */
  RefreshedValue(
      String description, Question<T> question, LongSupplier nanoTime, Executor threads) {
    this.description = description;
    this.question = question;
    this.nanoTime = nanoTime;
    this.threads = threads;
  }

  /** Returns the last answer. Asks nothing. */
  synchronized Known<T> peek() {
    return known;
  }

  /**
   * Returns the last answer at once. If it was asked for before that time, and no question has
   * failed since, the apiserver is asked in the background.
   */
  synchronized Known<T> getAndRefresh(long notBefore) {
    if (inFlight == null && !known.isSince(notBefore) && !known.failedSince(notBefore)) {
      var _ = startQuestion();
    }
    return known;
  }

  /**
   * Returns the answer to a question that was asked at that time or later. If there is none in
   * time, or the question fails, returns the last answer with the failure. A failure of a question
   * ends the wait if it occurs after this call began. If there is a value, a failure after {@code
   * notBefore} also ends it.
   *
   * @param wait maximum wait; zero: nothing is asked
   */
  Known<T> awaitSince(long notBefore, Duration wait) throws InterruptedException {
    long arrived = nanoTime.getAsLong();
    long end = System.nanoTime() + wait.toNanos();
    while (true) {
      CompletableFuture<Known<T>> answer;
      synchronized (this) {
        boolean failed =
            known.failedSince(arrived) || (known.value != null && known.failedSince(notBefore));
        if (known.isSince(notBefore) || failed) {
          return known;
        }
        if (end - System.nanoTime() <= 0) {
          return timedOut();
        }
        answer = inFlight == null ? startQuestion() : inFlight;
      }
      Known<T> answered;
      try {
        answered = answer.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        return timedOut();
      } catch (ExecutionException e) {
        throw new IllegalStateException(e);
      }
      if (answered.failure != null || answered.isSince(notBefore)) {
        return answered;
      } // else it was asked before notBefore, and the loop asks again
    }
  }

  /** Stores an answer from another request, unless there is a newer one. */
  synchronized void put(T value, long askedAt) {
    if (known.value == null || askedAt - known.askedAt > 0) {
      known = new Known<>(value, askedAt, null, 0);
    }
  }

  private synchronized Known<T> timedOut() {
    return new Known<>(
        known.value,
        known.askedAt,
        new KubeException(
            new UpstreamFailure.Transport(
                description
                    + ": the apiserver has not answered yet"
                    + (inFlight == null ? "" : "; the gateway keeps waiting in the background"))),
        nanoTime.getAsLong());
  }

  private CompletableFuture<Known<T>> startQuestion() {
    CompletableFuture<Known<T>> answer = new CompletableFuture<>();
    long askedAt = nanoTime.getAsLong();
    T before = known.value;
    threads.execute(() -> answer.complete(ask(before, askedAt)));
    inFlight = answer;
    return answer;
  }

  private Known<T> ask(@Nullable T before, long askedAt) {
    T value = null;
    KubeException failure = null;
    try {
      value = question.ask(before, askedAt);
    } catch (KubeException e) {
      failure = e;
    } catch (RuntimeException | Error e) {
      log.error("{} failed in the gateway itself", description, e);
      failure =
          new KubeException(
              new UpstreamFailure.ServerError(description + ": the gateway failed", Duration.ZERO));
    }
    synchronized (this) {
      boolean newer = failure == null && (known.value == null || askedAt - known.askedAt >= 0);
      known =
          newer
              ? new Known<>(value, askedAt, null, 0)
              : new Known<>(known.value, known.askedAt, failure, nanoTime.getAsLong());
      inFlight = null;
      return known;
    }
  }
}
