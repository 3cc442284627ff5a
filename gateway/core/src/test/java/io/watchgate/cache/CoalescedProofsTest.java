package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.json.FieldPaths;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Test that requests for a proof share one that runs and one that is queued. */
@Timeout(300)
final class CoalescedProofsTest {
  private static final int REQUESTS = 200;

  private final ScriptedUpstream upstream = new ScriptedUpstream();
  private final CacheWriter writer = new CacheWriter(CacheWriter.settings(), TimeSource.SYSTEM);
  private final WatchCache cache = writer.cache();
  private final AtomicInteger lists = new AtomicInteger();

  private Reflector reflector() {
    return new Reflector(
        upstream,
        cache,
        FieldPaths.NONE,
        new ReflectorClock(TimeSource.SYSTEM, () -> 0, (stopped, wait) -> {}),
        CacheMetrics.NONE,
        new ComparisonPermits(1, Duration.ofHours(1), TimeSource.SYSTEM),
        task -> new Thread(() -> {}));
  }

  private List<CompletableFuture<Freshness>> ask() {
    return IntStream.range(0, REQUESTS)
        .mapToObj(_ -> cache.proveFresh().toCompletableFuture())
        .toList();
  }

  private void answerAt(long version, CountDownLatch until) {
    upstream.answeringMetadata(
        sink -> {
          lists.incrementAndGet();
          try {
            until.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
          return new Upstream.Listed(Long.toString(version));
        });
  }

  @Test
  void requestsDuringAProof_shareTheNextOne() throws Exception {
    writer.list(10, List.of());
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch second = new CountDownLatch(1);
    answerAt(15, first);
    answerAt(20, second);
    try (Reflector _ = reflector()) {
      CompletableFuture<Freshness> running = cache.proveFresh().toCompletableFuture();
      await().until(() -> lists.get() == 1);

      List<CompletableFuture<Freshness>> queued = ask();
      first.countDown();
      assertThat(running.get(3, TimeUnit.MINUTES)).isEqualTo(provenAt(15));
      await().until(() -> lists.get() == 2);
      assertThat(queued).as("begun before they asked").noneMatch(CompletableFuture::isDone);
      second.countDown();
      for (CompletableFuture<Freshness> each : queued) {
        assertThat(each.get(3, TimeUnit.MINUTES)).isEqualTo(provenAt(20));
      }
      assertThat(lists.get()).isEqualTo(2);
      upstream.assertNothingFailed();
    }
  }

  private static Freshness provenAt(long version) {
    return new Freshness.Proven(new ResourceVersion(Long.toString(version)));
  }
}
