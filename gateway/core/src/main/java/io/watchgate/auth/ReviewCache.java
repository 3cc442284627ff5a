package io.watchgate.auth;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import io.watchgate.cache.TimeSource;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Single-flight cache of the apiserver's answers, each with its own lifetime ({@link
 * ReviewCacheSettings}): concurrent callers with the same question wait for the same answer. A
 * failure to get an answer is never cached. Bounded and thread-safe.
 */
final class ReviewCache<K, V> {
  private final AsyncCache<K, Answer<V>> answers;

  /**
   * Questions in flight about keys whose cached answer is too old for a caller of {@link
   * #getSince}.
   */
  private final ConcurrentMap<K, CompletableFuture<Answer<V>>> refreshes =
      new ConcurrentHashMap<>();

  private final AtomicLong invalidations = new AtomicLong();
  private final TimeSource time;
  private final Executor threads;

  /** Outcome of a question that was asked at that moment. */
  private record Answer<V>(Outcome<V> outcome, long askedAt) {}

  private sealed interface Outcome<V> {}

  private record Answered<V>(V value) implements Outcome<V> {}

  /**
   * Missing answer, as a value like others: a failed future would be logged as a bug by the cache.
   */
  private record Unanswered<V>(String reason, String remedy) implements Outcome<V> {}

  /** Request to the apiserver. */
  interface Question<V> {
    V ask() throws ReviewUnavailableException, InterruptedException;
  }

  /**
   * Creates a cache.
   *
   * @param age lifetime of an answer
   * @param threads runs each question on a virtual thread of its own
   * @param weight weight of a question, with 1 for about 1 KiB; the total weight is bounded
   */
  ReviewCache(
      TimeSource time, Executor threads, Function<V, Duration> age, ToIntFunction<K> weight) {
    this.time = time;
    this.threads = threads;
    this.answers =
        Caffeine.newBuilder()
            .maximumWeight(ReviewCacheSettings.MAX_WEIGHT)
            .weigher((K key, Answer<V> answer) -> weight.applyAsInt(key))
            .ticker(time::nanoTime)
            .executor(threads)
            .expireAfter(
                Expiry.<K, Answer<V>>writing(
                    (key, answer) ->
                        switch (answer.outcome) {
                          case Answered<V>(V value) -> age.apply(value);
                          case Unanswered<V> _ -> Duration.ZERO;
                        }))
            .buildAsync();
  }

  /** Returns the cached answer, or else asks for one. */
  V get(K key, Question<V> question) throws ReviewUnavailableException, InterruptedException {
    return value(await(answers.get(key, (k, own) -> load(question))));
  }

  /** Returns the cached answer; empty: it would have to be asked for, or is being asked for. */
  Optional<V> getIfCached(K key) {
    CompletableFuture<Answer<V>> known = answers.getIfPresent(key);
    return known != null
            && known.state() == CompletableFuture.State.SUCCESS
            && known.resultNow().outcome instanceof Answered<V>(V value)
        ? Optional.of(value)
        : Optional.empty();
  }

  /**
   * Returns the answer to a question that was asked at that moment, in {@code nanoTime}, or later.
   * Other callers get the cached answer meanwhile, so that they do not wait for an apiserver that
   * hangs.
   */
  V getSince(long since, K key, Question<V> question)
      throws ReviewUnavailableException, InterruptedException {
    while (true) {
      CompletableFuture<Answer<V>> known = answers.getIfPresent(key);
      @Nullable Answer<V> found = known == null ? null : await(known);
      if (found == null || found.askedAt - since < 0) {
        found = await(refresh(key, known, question));
      }
      if (found.askedAt - since >= 0) {
        return value(found);
      }
      // The question was in flight before this call; the next one is not.
    }
  }

  @SuppressWarnings("ReferenceEquality") // a future equals no other
  private CompletableFuture<Answer<V>> refresh(
      K key, @Nullable CompletableFuture<Answer<V>> known, Question<V> question) {
    CompletableFuture<Answer<V>> own = new CompletableFuture<>();
    CompletableFuture<Answer<V>> inFlight = refreshes.putIfAbsent(key, own);
    if (inFlight != null) {
      return inFlight;
    }
    long forgotten = invalidations.get();
    ask(
        question,
        own,
        answer -> {
          if (answer.outcome instanceof Answered<V>) {
            answers
                .asMap()
                .compute(
                    key,
                    (k, current) ->
                        invalidations.get() == forgotten && current == known
                            ? CompletableFuture.completedFuture(answer)
                            : current);
          }
          refreshes.remove(key, own);
        });
    return own;
  }

  /** Returns the number of cached answers. */
  long cachedAnswers() {
    answers.synchronous().cleanUp();
    return answers.synchronous().estimatedSize();
  }

  /** Drops the answers to matching questions; they are asked again when needed. */
  void invalidate(Predicate<K> about) {
    invalidations.incrementAndGet(); // first: answers in flight must not be cached
    answers.asMap().keySet().removeIf(about);
  }

  private CompletableFuture<Answer<V>> load(Question<V> question) {
    CompletableFuture<Answer<V>> answer = new CompletableFuture<>();
    ask(question, answer, any -> {});
    return answer;
  }

  /**
   * Asks on a thread of the executor.
   *
   * @param before receives the answer before the callers that wait for it
   */
  private void ask(
      Question<V> question, CompletableFuture<Answer<V>> to, Consumer<Answer<V>> before) {
    try {
      threads.execute(() -> answer(question, to, before));
    } catch (RejectedExecutionException e) {
      Answer<V> none =
          new Answer<>(new Unanswered<>("the gateway shuts down", ""), time.nanoTime());
      before.accept(none);
      to.complete(none);
    }
  }

  private void answer(
      Question<V> question, CompletableFuture<Answer<V>> to, Consumer<Answer<V>> before) {
    long askedAt = time.nanoTime();
    Outcome<V> outcome;
    try {
      outcome = new Answered<>(question.ask());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      outcome = new Unanswered<>("the gateway shuts down", "");
    } catch (ReviewUnavailableException e) {
      outcome = new Unanswered<>(String.valueOf(e.getMessage()), e.remedy());
    } catch (RuntimeException | Error e) {
      before.accept(new Answer<>(new Unanswered<>("the gateway failed", ""), askedAt));
      to.completeExceptionally(e);
      return;
    }
    Answer<V> answer = new Answer<>(outcome, askedAt);
    before.accept(answer);
    to.complete(answer);
  }

  private V value(Answer<V> answer) throws ReviewUnavailableException {
    return switch (answer.outcome) {
      case Answered<V>(V value) -> value;
      case Unanswered<V>(String reason, String remedy) ->
          throw new ReviewUnavailableException(reason, remedy);
    };
  }

  private Answer<V> await(CompletableFuture<Answer<V>> answer)
      throws ReviewUnavailableException, InterruptedException {
    try {
      return answer.get();
    } catch (CancellationException e) {
      throw new ReviewUnavailableException("the gateway shuts down");
    } catch (ExecutionException e) {
      throw new IllegalStateException(Optional.ofNullable(e.getCause()).orElse(e));
    }
  }
}
