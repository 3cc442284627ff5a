package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.json.FieldPaths;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests that streams with different old positions share attempts of backfills. */
final class BatchedBackfillsTest {
  private static final SampleObject A = SampleObject.of("n", "a", 5);
  private static final SampleObject B = SampleObject.of("n", "b", 6);

  private final VirtualTime time = new VirtualTime();
  private final ScriptedUpstream upstream = new ScriptedUpstream();
  private CacheWriter writer = new CacheWriter(CacheWriter.settings(), time.source());
  private final Deque<Runnable> threads = new ArrayDeque<>();
  private final List<String> outcomes = new ArrayList<>();
  private final List<String> answered = new ArrayList<>();
  private final CountDownLatch stopped = new CountDownLatch(1);
  private BatchedBackfills backfills = backfills();

  private BatchedBackfills backfills() {
    return new BatchedBackfills(
        writer.cache(),
        new Backfill(upstream, writer.cache(), FieldPaths.NONE, CacheMetricsRecorder.of(outcomes)),
        CacheMetricsRecorder.of(answered),
        (latch, wait) -> {
          if (Thread.interrupted()) {
            throw new InterruptedException();
          }
          time.advance(wait);
        },
        threads::add,
        stopped);
  }

  private CompletableFuture<Boolean> reachBack(long version) {
    return backfills.request(new ResourceVersion(Long.toString(version))).toCompletableFuture();
  }

  private static Upstream.ListOutcome expired() {
    return new Upstream.ListFailed(new UpstreamFailure.Expired("x"));
  }

  private static Upstream.WatchOutcome bookmark(Upstream.WatchSink sink, long version) {
    sink.bookmark(Long.toString(version), Upstream.BookmarkKind.PROGRESS);
    return new Upstream.WatchOutcome(null);
  }

  @Test
  void manyOldTokens_shareOneListAtOldest() {
    writer.list(20, A);
    upstream
        .listAt(10, A)
        .briefWatch(
            sink -> {
              sink.bookmark("20", Upstream.BookmarkKind.PROGRESS);
              return new Upstream.WatchOutcome(null);
            });
    List<CompletableFuture<Boolean>> answers = new ArrayList<>();
    for (long version = 19; version >= 10; version--) {
      answers.add(reachBack(version));
    }
    assertThat(threads).hasSize(1);

    threads.remove().run();

    assertThat(answers).allSatisfy(answer -> assertThat(answer).isCompletedWithValue(true));
    assertThat(upstream.asked).containsExactly("list objects at 10", "brief watch 10");
    assertThat(outcomes).containsExactly("backfill reached");
  }

  /** It is one of thousands of requests, and must not cause snapshots for the others. */
  @Test
  void tooOldVersion_doesNotFailOthers() {
    writer.list(20, A);
    upstream
        .listAt(sink -> expired())
        .listAt(16, A)
        .briefWatch(sink -> bookmark(sink, 20))
        .listAt(15, A)
        .briefWatch(sink -> bookmark(sink, 16));
    CompletableFuture<Boolean> old = reachBack(3);
    CompletableFuture<Boolean> early = reachBack(15);
    CompletableFuture<Boolean> late = reachBack(16);

    threads.remove().run();

    assertThat(old).isCompletedWithValue(false);
    assertThat(late).isCompletedWithValue(true);
    assertThat(early).isCompletedWithValue(true);
    assertThat(upstream.asked)
        .containsExactly(
            "list objects at 3",
            "list objects at 16",
            "brief watch 16",
            "list objects at 15",
            "brief watch 15");
  }

  /** Streams whose version is gone get their snapshot while newer versions are tried. */
  @Test
  void failedAttempt_answersItsVersionAtOnce() {
    writer.list(20, A);
    CompletableFuture<Boolean> old = reachBack(3);
    CompletableFuture<Boolean> late = reachBack(16);
    upstream
        .listAt(sink -> expired())
        .listAt(
            sink -> {
              assertThat(old).isCompletedWithValue(false);
              assertThat(late).isNotDone();
              sink.item(A.bytes());
              return new Upstream.Listed("16");
            })
        .briefWatch(sink -> bookmark(sink, 20));

    threads.remove().run();

    upstream.assertNothingFailed();
    assertThat(late).isCompletedWithValue(true);
  }

  @Test
  void versionOlderThanForgottenOne_isAnsweredWithoutAttempt() {
    writer.list(20, A);
    upstream.listAt(sink -> expired()).listAt(15, A).briefWatch(sink -> bookmark(sink, 20));
    var _ = reachBack(10);
    var _ = reachBack(15);
    threads.remove().run();
    time.advance(Duration.ofHours(1));

    for (long version = 10; version > 0; version--) {
      assertThat(reachBack(version)).isCompletedWithValue(false);
    }
    assertThat(threads).isEmpty();
    assertThat(outcomes).containsExactly("backfill expired", "backfill reached");
  }

  @Test
  void versionOlderThanTooLargeOne_isAnsweredWithoutAttempt() {
    writer =
        new CacheWriter(
            CacheWriter.settings().withHistory(Duration.ofMinutes(10), 10_000), time.source());
    backfills = backfills();
    writer.list(50, A.at(40));
    upstream.listAt(30, A, B.padding(11_000));
    var _ = reachBack(30);
    threads.remove().run();

    for (long version = 30; version > 0; version--) {
      assertThat(reachBack(version)).isCompletedWithValue(false);
    }
    assertThat(threads).isEmpty();
    assertThat(outcomes).containsExactly("backfill too_large");
  }

  /** Ten thousand positions, of which the apiserver has forgotten all. */
  @Test
  void manyForgottenVersions_costFourAttempts() {
    writer.list(20_000, A);
    for (int i = 0; i < BackfillSettings.MAX_VERSIONS; i++) {
      upstream.listAt(sink -> expired());
    }
    List<CompletableFuture<Boolean>> answers = new ArrayList<>();
    for (long version = 10_000; version > 0; version--) {
      answers.add(reachBack(version));
    }

    threads.remove().run();

    assertThat(answers).allSatisfy(answer -> assertThat(answer).isCompletedWithValue(false));
    assertThat(upstream.asked)
        .containsExactly(
            "list objects at 1",
            "list objects at 5001",
            "list objects at 7501",
            "list objects at 8751");
    assertThat(answered)
        .containsExactly(
            "1 requests not_available",
            "5000 requests not_available",
            "2500 requests not_available",
            "1250 requests not_available",
            "1249 requests given_up");
  }

  /** The boundary lies between the versions: more of them are reached with each attempt. */
  @Test
  void attemptsAfterSuccess_reachBackFurther() {
    writer.list(200, A);
    upstream
        .listAt(sink -> expired())
        .listAt(151, A)
        .briefWatch(sink -> bookmark(sink, 200))
        .listAt(126, A)
        .briefWatch(sink -> bookmark(sink, 151))
        .listAt(sink -> expired());
    List<CompletableFuture<Boolean>> answers = new ArrayList<>();
    for (long version = 101; version < 200; version++) {
      answers.add(reachBack(version));
    }

    threads.remove().run();

    assertThat(answers.subList(0, 25)).allMatch(answer -> !answer.join());
    assertThat(answers.subList(25, 99)).allMatch(CompletableFuture::join);
    assertThat(outcomes).hasSize(BackfillSettings.MAX_VERSIONS);
  }

  /** A newer version is not delayed until all attempts for the older ones have been made. */
  @Test
  void requestDuringAttempt_joinsNextAttempt() {
    writer.list(20, A);
    List<CompletableFuture<Boolean>> late = new ArrayList<>();
    upstream
        .listAt(
            sink -> {
              for (long version = 16; version < 19; version++) {
                late.add(reachBack(version));
              }
              return expired();
            })
        .listAt(17, A)
        .briefWatch(sink -> bookmark(sink, 20))
        .listAt(sink -> expired());
    CompletableFuture<Boolean> old = reachBack(3);
    CompletableFuture<Boolean> early = reachBack(5);
    long began = time.source().nanoTime();

    threads.remove().run();

    assertThat(threads).isEmpty();
    assertThat(old).isCompletedWithValue(false);
    assertThat(early).isCompletedWithValue(false);
    assertThat(late.subList(1, 3)).allMatch(CompletableFuture::join);
    assertThat(upstream.asked)
        .startsWith("list objects at 3", "list objects at 17", "brief watch 17");
    assertThat(Duration.ofNanos(time.source().nanoTime() - began))
        .as("one collection")
        .isEqualTo(Duration.ofSeconds(1));
  }

  /**
   * Clients can choose versions, and each attempt lists all objects. Newer versions arrive during
   * each attempt, and a request is always open.
   */
  @Test
  void newerVersionsDuringEachAttempt_areLimitedToFourAttemptsASecond() {
    writer.list(200, A);
    for (long version = 10; version < 130; version += 10) {
      long next = version;
      upstream.listAt(
          sink -> {
            var _ = reachBack(next);
            var _ = reachBack(next + 1);
            return expired();
          });
    }
    upstream.listAt(sink -> expired()).listAt(sink -> expired()); // the versions that are left
    var _ = reachBack(2);
    var _ = reachBack(3);
    long began = time.source().nanoTime();

    threads.remove().run();

    assertThat(threads).isEmpty();
    assertThat(outcomes).hasSize(14).containsOnly("backfill expired");
    assertThat(Duration.ofNanos(time.source().nanoTime() - began))
        .as("collections, the first before any attempt")
        .isEqualTo(Duration.ofSeconds(4));
  }

  @Test
  void moreThanMaximumOfRequests_areAnsweredAtOnce() {
    writer.list(20, A);
    upstream.listAt(10, A).briefWatch(sink -> bookmark(sink, 20));
    List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
    for (int i = 0; i < BackfillSettings.MAX_REQUESTS; i++) {
      waiting.add(reachBack(10));
    }

    assertThat(reachBack(10)).isCompletedWithValue(false);
    threads.remove().run();

    assertThat(waiting).allMatch(CompletableFuture::join);
    assertThat(answered).containsExactly("1 requests too_many", "100000 requests reached");
    assertThat(reachBack(9)).as("a request after the storm").isNotDone();
  }

  @Test
  void bugInAttempt_answersAllRequestsAndBlocksRetries() {
    writer.list(20, A);
    upstream.listAt(
        sink -> {
          throw new IllegalStateException("planted");
        });
    List<CompletableFuture<Boolean>> answers = List.of(reachBack(3), reachBack(9));

    threads.remove().run();

    assertThat(answers).allSatisfy(answer -> assertThat(answer).isCompletedWithValue(false));
    assertThat(reachBack(9)).isCompletedWithValue(false);
    assertThat(threads).isEmpty();
    assertThat(upstream.asked).hasSize(1);
  }

  @Test
  void interruptedThread_answersAllRequests() {
    writer.list(20, A);
    upstream.listAt(
        sink -> {
          var _ = reachBack(15);
          Thread.currentThread().interrupt();
          return new Upstream.ListFailed(new UpstreamFailure.Transport("reset"));
        });
    List<CompletableFuture<Boolean>> answers = List.of(reachBack(3), reachBack(9));

    threads.remove().run();

    assertThat(Thread.interrupted()).as("the thread stays interrupted").isTrue();
    assertThat(answers).allSatisfy(answer -> assertThat(answer).isCompletedWithValue(false));
    assertThat(answered).containsExactly("3 requests not_available");
  }

  /** The thread of the attempts is about to end when this request arrives. */
  @Test
  void requestDuringLastAnswer_isAnswered() {
    writer.list(20, A);
    upstream
        .listAt(10, A)
        .briefWatch(sink -> bookmark(sink, 20))
        .listAt(9, A)
        .briefWatch(sink -> bookmark(sink, 10));
    CompletableFuture<Boolean> late = reachBack(10).thenCompose(_ -> reachBack(9));

    threads.remove().run();

    assertThat(threads).isEmpty();
    assertThat(late).isCompletedWithValue(true);
  }

  /** Each client waits for each answer, so that one that is lost is found. */
  @Test
  void requestsOfManyThreads_areAllAnswered() throws Exception {
    try (ExecutorService attempts = Executors.newCachedThreadPool();
        ExecutorService clients = Executors.newFixedThreadPool(4)) {
      BatchedBackfills shared =
          new BatchedBackfills(
              writer.cache(), // without a state, no version is available
              new Backfill(upstream, writer.cache(), FieldPaths.NONE, CacheMetrics.NONE),
              CacheMetrics.NONE,
              (latch, wait) -> {},
              attempts,
              stopped);
      Callable<Void> client =
          () -> {
            for (int version = 1; version <= 500; version++) {
              CompletionStage<Boolean> answer =
                  shared.request(new ResourceVersion(Integer.toString(version)));
              assertThat(answer.toCompletableFuture().get(3, TimeUnit.MINUTES)).isFalse();
            }
            return null;
          };
      for (Future<Void> done : clients.invokeAll(Collections.nCopies(4, client))) {
        done.get();
      }
    }
  }

  /** All versions would wait for the same apiserver. */
  @Test
  void unansweredBackfill_givesUpAllVersions() {
    writer.list(20, A);
    for (int i = 0; i < BackfillSettings.MAX_ATTEMPTS; i++) {
      upstream.listAt(sink -> new Upstream.ListFailed(new UpstreamFailure.Transport("away")));
    }
    List<CompletableFuture<Boolean>> answers = List.of(reachBack(3), reachBack(9), reachBack(15));

    threads.remove().run();

    assertThat(answers).allSatisfy(answer -> assertThat(answer).isCompletedWithValue(false));
    assertThat(outcomes).hasSize(BackfillSettings.MAX_ATTEMPTS);
    assertThat(reachBack(15)).isCompletedWithValue(false);
  }

  @Test
  void refusedBackfill_givesUpAllVersions() {
    writer.list(20, A);
    upstream.listAt(sink -> new Upstream.ListFailed(new UpstreamFailure.Forbidden("x")));
    List<CompletableFuture<Boolean>> answers = List.of(reachBack(3), reachBack(9), reachBack(15));

    threads.remove().run();

    assertThat(answers).allSatisfy(answer -> assertThat(answer).isCompletedWithValue(false));
    assertThat(upstream.asked).containsExactly("list objects at 3");
  }

  /** A broken connection, or a restart of the apiserver, must not cause snapshots. */
  @Test
  void unansweredBackfill_isRetried() {
    writer.list(20, A);
    upstream
        .listAt(sink -> new Upstream.ListFailed(new UpstreamFailure.Transport("reset")))
        .listAt(10, A)
        .briefWatch(sink -> new Upstream.WatchOutcome(new UpstreamFailure.Transport("cut")))
        .listAt(10, A)
        .briefWatch(
            sink -> {
              sink.bookmark("20", Upstream.BookmarkKind.PROGRESS);
              return new Upstream.WatchOutcome(null);
            });
    CompletableFuture<Boolean> answer = reachBack(10);

    threads.remove().run();

    assertThat(answer).isCompletedWithValue(true);
    assertThat(outcomes)
        .containsExactly("backfill unanswered", "backfill unanswered", "backfill reached");
  }

  /** A token can be forged, and each attempt lists all objects. */
  @Test
  void unansweredForSeconds_givesUp() {
    writer.list(20, A);
    for (int i = 0; i < 5; i++) {
      upstream.listAt(sink -> new Upstream.ListFailed(new UpstreamFailure.Transport("away")));
    }
    CompletableFuture<Boolean> first = reachBack(10);
    threads.remove().run();
    CompletableFuture<Boolean> second = reachBack(10);

    assertThat(first).isCompletedWithValue(false);
    assertThat(second).isCompletedWithValue(false);
    assertThat(threads).isEmpty();
    assertThat(outcomes).hasSize(4).containsOnly("backfill unanswered");
  }

  /**
   * History may lose its room for a backfill between two attempts. In an earlier version, attempts
   * ended only with an answer of the apiserver, and continued for ever in this case. All later
   * requests waited in vain.
   */
  @Test
  void noRoomAfterUnansweredAttempt_isAnsweredAtOnce() {
    writer.list(20, A);
    upstream.listAt(
        sink -> {
          writer.list(
              15, A); // another timeline: a backfill of the old timeline does not lead to it
          return new Upstream.ListFailed(new UpstreamFailure.Transport("reset"));
        });
    long began = time.source().nanoTime();
    CompletableFuture<Boolean> first = reachBack(10);
    threads.remove().run();
    CompletableFuture<Boolean> second = reachBack(10);
    threads.remove().run();

    assertThat(first).isCompletedWithValue(false);
    assertThat(second).isCompletedWithValue(false);
    assertThat(upstream.asked).containsExactly("list objects at 10");
    assertThat(Duration.ofNanos(time.source().nanoTime() - began))
        .as("two collections and one pause")
        .isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void requestAfterEnd_isAnswered() {
    writer.list(20, A);
    stopped.countDown();
    CompletableFuture<Boolean> answer = reachBack(10);

    threads.remove().run();

    assertThat(answer).isCompletedWithValue(false);
    assertThat(upstream.asked).isEmpty();
  }

  @Test
  void availableHistory_isBackfilledWithinOneSecond() {
    writer.list(20, A);
    upstream.listAt(sink -> new Upstream.ListFailed(new UpstreamFailure.Expired("x")));
    long began = time.source().nanoTime();
    var answer = reachBack(10);
    var _ =
        answer.thenAccept(
            reached ->
                assertThat(time.source().nanoTime() - began)
                    .isEqualTo(Duration.ofSeconds(1).toNanos()));

    threads.remove().run();

    assertThat(answer).isCompletedWithValue(false);
  }
}
