package io.watchgate.auth;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import io.watchgate.cache.TimeSource;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * Answers of the apiserver, for as long as each is believed; who asks while another does waits for
 * the same answer. That there was none is never remembered. Bounded and thread-safe.
 */
final class Remembered<K, V> {
  /** Thousands of callers with a token and some decisions each; about 1 KiB an entry. */
  static final int MOST = 20_000;

  private final AsyncCache<K, Answer<V>> answers;
  private final TimeSource time;

  /** What came of a question, and when that was asked. */
  private record Answer<V>(Outcome<V> outcome, long askedAt) {}

  private sealed interface Outcome<V> {}

  private record Answered<V>(V value) implements Outcome<V> {}

  /** A value like others, so that nothing that holds it takes it for a bug, and logs it as one. */
  private record Unanswered<V>(String why, String remedy) implements Outcome<V> {}

  /** Asks. */
  interface Question<V> {
    V ask() throws UnansweredException, InterruptedException;
  }

  /**
   * @param age how long an answer is believed
   * @param threads one a question; virtual
   * @param weight of a question, of which together {@link #MOST} are remembered; 1 for about 1 KiB
   */
  Remembered(
      TimeSource time, Executor threads, Function<V, Duration> age, ToIntFunction<K> weight) {
    this.time = time;
    this.answers =
        Caffeine.newBuilder()
            .maximumWeight(MOST)
            .weigher((K key, Answer<V> answer) -> weight.applyAsInt(key))
            .ticker(time::nanoTime)
            .executor(threads)
            .expireAfter(
                Expiry.<K, Answer<V>>creating(
                    (key, answer) ->
                        switch (answer.outcome) {
                          case Answered<V>(V value) -> age.apply(value);
                          case Unanswered<V> _ -> Duration.ZERO;
                        }))
            .buildAsync();
  }

  /** What is remembered; else what is answered now. */
  V get(K key, Question<V> question) throws UnansweredException, InterruptedException {
    return value(awaited(answers.get(key, (k, threads) -> asked(question, threads))));
  }

  /** The answer to a question that was asked at that moment or later, of {@code nanoTime}. */
  V getSince(long moment, K key, Question<V> question)
      throws UnansweredException, InterruptedException {
    answers
        .asMap()
        .computeIfPresent(
            key,
            (k, known) -> {
              boolean old =
                  known.state() == CompletableFuture.State.SUCCESS
                      && known.resultNow().askedAt - moment < 0;
              return old ? null : known;
            });
    Answer<V> found = awaited(answers.get(key, (k, threads) -> asked(question, threads)));
    if (found.askedAt - moment >= 0) {
      return value(found);
    }
    // Under way when this was called; the next one is not.
    return getSince(moment, key, question);
  }

  /** How many answers there are. */
  long count() {
    answers.synchronous().cleanUp();
    return answers.synchronous().estimatedSize();
  }

  /** From now on what is asked about these is asked anew. */
  void forget(Predicate<K> about) {
    answers.asMap().keySet().removeIf(about);
  }

  private CompletableFuture<Answer<V>> asked(Question<V> question, Executor threads) {
    CompletableFuture<Answer<V>> answer = new CompletableFuture<>();
    threads.execute(
        () -> {
          long askedAt = time.nanoTime();
          try {
            answer.complete(new Answer<>(new Answered<>(question.ask()), askedAt));
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            answer.complete(new Answer<>(new Unanswered<>("the gateway shuts down", ""), askedAt));
          } catch (UnansweredException e) {
            String why = String.valueOf(e.getMessage());
            answer.complete(new Answer<>(new Unanswered<>(why, e.remedy()), askedAt));
          } catch (RuntimeException e) {
            answer.completeExceptionally(e);
          }
        });
    return answer;
  }

  private V value(Answer<V> answer) throws UnansweredException {
    return switch (answer.outcome) {
      case Answered<V>(V value) -> value;
      case Unanswered<V>(String why, String remedy) -> throw new UnansweredException(why, remedy);
    };
  }

  private Answer<V> awaited(CompletableFuture<Answer<V>> answer)
      throws UnansweredException, InterruptedException {
    try {
      return answer.get();
    } catch (CancellationException e) {
      throw new UnansweredException("the gateway shuts down");
    } catch (ExecutionException e) {
      throw new IllegalStateException(Optional.ofNullable(e.getCause()).orElse(e));
    }
  }
}
