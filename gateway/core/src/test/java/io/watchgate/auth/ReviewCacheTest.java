package io.watchgate.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.TimeSource;
import io.watchgate.cache.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** Tests of the age of cached answers. */
final class ReviewCacheTest {
  private static final Duration AGE = Duration.ofMinutes(1);

  private final VirtualTime time = new VirtualTime();
  private final ReviewCache<String, Integer> remembered =
      new ReviewCache<>(time.source(), Runnable::run, answer -> AGE, key -> 1);
  private int asked;

  private int ask() {
    return ++asked;
  }

  @Test
  void getSince_asksAgainIfAnswerIsTooOld() throws Exception {
    assertThat(remembered.get("k", this::ask)).isEqualTo(1);
    time.advance(Duration.ofSeconds(1));
    long moment = time.source().nanoTime();
    time.advance(Duration.ofSeconds(1));

    assertThat(remembered.getSince(moment, "k", this::ask)).isEqualTo(2);
    assertThat(remembered.getSince(moment, "k", this::ask)).isEqualTo(2);
    assertThat(remembered.get("k", this::ask)).isEqualTo(2);
    time.advance(Duration.ofNanos(1));
    assertThat(remembered.getSince(time.source().nanoTime(), "k", this::ask)).isEqualTo(3);
  }

  @Test
  void invalidatedKey_isAskedAgain() throws Exception {
    remembered.get("k", this::ask);
    remembered.invalidate(key -> true);

    assertThat(remembered.cachedAnswers()).isZero();
    assertThat(remembered.get("k", this::ask)).isEqualTo(2);
  }

  /** Otherwise a minute without an apiserver would fill the log with stack traces. */
  @Test
  void missingAnswer_reachesCallersWithoutLog() {
    List<LogRecord> logged = new CopyOnWriteArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            logged.add(record);
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger root = Logger.getLogger("");
    root.addHandler(handler);
    try {
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(
                () ->
                    remembered.get(
                        "k",
                        () -> {
                          asked++;
                          throw new ReviewUnavailableException("it is away");
                        }))
            .isInstanceOf(ReviewUnavailableException.class)
            .hasMessage("it is away");
      }
    } finally {
      root.removeHandler(handler);
    }

    assertThat(asked).as("never remembered").isEqualTo(3);
    assertThat(logged).isEmpty();
  }

  @Test
  void questionInFlight_isTooOldForLaterMoment() throws Exception {
    AtomicInteger answers = new AtomicInteger();
    AtomicInteger asking = new AtomicInteger();
    CountDownLatch first = new CountDownLatch(1);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      ReviewCache<String, Integer> shared =
          new ReviewCache<>(TimeSource.SYSTEM, threads, answer -> AGE, key -> 1);
      ReviewCache.Question<Integer> question =
          () -> {
            asking.incrementAndGet();
            first.await();
            return answers.incrementAndGet();
          };
      Future<Integer> early = threads.submit(() -> shared.get("k", question));
      await().until(() -> asking.get() == 1);
      long moment = System.nanoTime();
      Future<Integer> late = threads.submit(() -> shared.getSince(moment, "k", question));
      Future<Integer> joining = threads.submit(() -> shared.get("k", question));
      first.countDown();

      assertThat(early.get()).isEqualTo(1);
      assertThat(late.get()).isEqualTo(2);
      assertThat(joining.get()).isBetween(1, 2);
    }
  }

  @Test
  void whileRefreshing_cachedAnswerIsReturned() throws Exception {
    CountDownLatch answer = new CountDownLatch(1);
    AtomicInteger asking = new AtomicInteger();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      ReviewCache<String, Integer> shared =
          new ReviewCache<>(TimeSource.SYSTEM, threads, value -> AGE, key -> 1);
      assertThat(shared.get("k", () -> 1)).isEqualTo(1);
      long moment = System.nanoTime();
      ReviewCache.Question<Integer> hanging =
          () -> {
            asking.incrementAndGet();
            answer.await();
            return 2;
          };
      Future<Integer> since = threads.submit(() -> shared.getSince(moment, "k", hanging));
      Future<Integer> too = threads.submit(() -> shared.getSince(moment, "k", hanging));
      await().until(() -> asking.get() == 1);

      assertThat(shared.get("k", () -> 3)).isEqualTo(1);
      assertThat(shared.getIfCached("k")).contains(1);
      answer.countDown();
      assertThat(since.get()).isEqualTo(2);
      assertThat(too.get()).isEqualTo(2);
      assertThat(asking.get()).as("questions").isEqualTo(1);
      assertThat(shared.get("k", () -> 3)).isEqualTo(2);
    }
  }

  @Test
  void rejectedExecution_leavesNoQuestionInFlight() throws Exception {
    AtomicBoolean shutDown = new AtomicBoolean();
    ReviewCache<String, Integer> ending =
        new ReviewCache<>(
            time.source(),
            task -> {
              if (shutDown.get()) {
                throw new RejectedExecutionException("shut down");
              }
              task.run();
            },
            answer -> AGE,
            key -> 1);
    assertThat(ending.get("k", this::ask)).isEqualTo(1);
    time.advance(Duration.ofSeconds(1));
    long moment = time.source().nanoTime();
    shutDown.set(true);
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> ending.getSince(moment, "k", this::ask))
          .isInstanceOf(ReviewUnavailableException.class)
          .hasMessage("the gateway shuts down");
      assertThatThrownBy(() -> ending.get("other", this::ask))
          .isInstanceOf(ReviewUnavailableException.class);
    }
    shutDown.set(false);

    assertThat(ending.getSince(moment, "k", this::ask)).isEqualTo(2);
    assertThat(ending.get("other", this::ask)).isEqualTo(3);
  }

  @Test
  void errorInQuestion_leavesNoneInFlight() throws Exception {
    assertThat(remembered.get("k", this::ask)).isEqualTo(1);
    time.advance(Duration.ofSeconds(1));
    long moment = time.source().nanoTime();
    assertThatThrownBy(
            () ->
                remembered.getSince(
                    moment,
                    "k",
                    () -> {
                      throw new NoClassDefFoundError("missing");
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasRootCauseMessage("missing");

    assertThat(remembered.getSince(moment, "k", this::ask)).isEqualTo(2);
  }

  /** The cached answer keeps its lifetime, too. */
  @Test
  void failedRefresh_keepsCachedAnswer() throws Exception {
    assertThat(remembered.get("k", this::ask)).isEqualTo(1);
    time.advance(AGE.dividedBy(2));
    assertThatThrownBy(
            () ->
                remembered.getSince(
                    time.source().nanoTime(),
                    "k",
                    () -> {
                      throw new ReviewUnavailableException("it is away");
                    }))
        .isInstanceOf(ReviewUnavailableException.class);

    assertThat(remembered.get("k", this::ask)).isEqualTo(1);
    time.advance(AGE.dividedBy(2));
    assertThat(remembered.get("k", this::ask)).isEqualTo(2);
    time.advance(AGE.dividedBy(2));
    assertThat(remembered.getSince(time.source().nanoTime(), "k", this::ask)).isEqualTo(3);
    time.advance(AGE.minusNanos(1));
    assertThat(remembered.get("k", this::ask)).as("its own time has begun").isEqualTo(3);
  }

  @Test
  void refresh_invalidatedInFlight_isNotCached() throws Exception {
    CountDownLatch answer = new CountDownLatch(1);
    AtomicInteger asking = new AtomicInteger();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      ReviewCache<String, Integer> shared =
          new ReviewCache<>(TimeSource.SYSTEM, threads, value -> AGE, key -> 1);
      Future<Integer> since =
          threads.submit(
              () ->
                  shared.getSince(
                      System.nanoTime(),
                      "k",
                      () -> {
                        asking.incrementAndGet();
                        answer.await();
                        return 1;
                      }));
      await().until(() -> asking.get() == 1);
      shared.invalidate(key -> true);
      answer.countDown();

      assertThat(since.get()).isEqualTo(1);
      assertThat(shared.getIfCached("k")).isEmpty();
      assertThat(shared.get("k", () -> 2)).isEqualTo(2);
    }
  }

  /** An earlier yes would admit a caller whose right was taken away. */
  @Test
  void question_invalidatedInFlight_isNotCached() throws Exception {
    AtomicInteger asking = new AtomicInteger();
    CountDownLatch answer = new CountDownLatch(1);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      ReviewCache<String, Integer> shared =
          new ReviewCache<>(TimeSource.SYSTEM, threads, value -> AGE, key -> 1);
      Future<Integer> early =
          threads.submit(
              () ->
                  shared.get(
                      "k",
                      () -> {
                        asking.incrementAndGet();
                        answer.await();
                        return 1;
                      }));
      await().until(() -> asking.get() == 1);
      shared.invalidate(key -> true);
      assertThat(shared.get("k", () -> 2)).isEqualTo(2);
      answer.countDown();

      assertThat(early.get()).isEqualTo(1);
      assertThat(shared.get("k", () -> 3)).isEqualTo(2);
    }
  }

  @Test
  void cache_isBounded() throws Exception {
    for (int i = 0; i < 2 * ReviewCacheSettings.MAX_WEIGHT; i++) {
      remembered.get("k" + i, this::ask);
    }

    assertThat(remembered.cachedAnswers())
        .isBetween(ReviewCacheSettings.MAX_WEIGHT / 2L, (long) ReviewCacheSettings.MAX_WEIGHT);
  }
}
