package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.json.FieldPaths;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Tests that concurrent requests share one lookup. */
final class BatchedUpstreamLookupsTest {
  private static final SampleObject A = SampleObject.of("n", "a", 5);

  private final VirtualTime time = new VirtualTime();
  private final ScriptedUpstream upstream = new ScriptedUpstream();
  private final CacheWriter writer = new CacheWriter(CacheWriter.settings(), time.source());
  private final ReflectorCommands demands = new ReflectorCommands(upstream);
  private final Deque<Runnable> threads = new ArrayDeque<>();
  private final List<String> outcomes = new ArrayList<>();
  private final CacheMetrics metrics = new CacheMetricsRecorder(new ArrayList<>(), outcomes);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final BatchedUpstreamLookups inquirer =
      new BatchedUpstreamLookups(
          new VersionProbe(upstream, writer.cache(), metrics, (latch, wait) -> {}, stopped),
          writer.cache(),
          demands,
          new Backfill(upstream, writer.cache(), FieldPaths.NONE, metrics),
          (latch, wait) -> time.advance(wait),
          threads::add,
          stopped);

  private CompletableFuture<UpstreamLookups.Progress> progress() {
    return inquirer.requestProgress().toCompletableFuture();
  }

  private CompletableFuture<Boolean> reachBack(long version) {
    return inquirer.backfill(new ResourceVersion(Long.toString(version))).toCompletableFuture();
  }

  private static UpstreamLookups.At at(long version) {
    return new UpstreamLookups.At(new ResourceVersion(Long.toString(version)));
  }

  @Test
  void requestsBeforeLookupStarts_shareIt() {
    writer.list(10, A);
    upstream.probe(new Upstream.Listed("10"));
    CompletableFuture<UpstreamLookups.Progress> first = progress();
    CompletableFuture<UpstreamLookups.Progress> second = progress();
    assertThat(threads).hasSize(1);

    threads.remove().run();

    assertThat(first).isCompletedWithValue(at(10));
    assertThat(second).isCompletedWithValue(at(10));
    assertThat(upstream.asked).containsExactly("probe");
    assertThat(demands.take()).isNull();
  }

  /** A running lookup may have been answered before the reason of the new request existed. */
  @Test
  void requestDuringLookup_getsNextLookup() {
    writer.list(10, A);
    upstream.probe(new Upstream.Listed("11")).probe(new Upstream.Listed("12"));
    List<CompletableFuture<UpstreamLookups.Progress>> second = new ArrayList<>();
    var _ = progress().thenAccept(found -> second.add(progress()));

    threads.remove().run();

    assertThat(second.getFirst()).isCompletedWithValue(at(12));
    assertThat(threads).isEmpty();
  }

  @Test
  void apiserverAhead_commandsPositionRefresh() {
    writer.list(10, A);
    upstream.probe(new Upstream.Listed("15"));
    CompletableFuture<UpstreamLookups.Progress> found = progress();

    threads.remove().run();

    assertThat(found).isCompletedWithValue(at(15));
    assertThat(upstream.asked).containsExactly("probe", "cut");
    assertThat(demands.take()).isEqualTo(new ReflectorCommands.RefreshPosition());
  }

  @Test
  void apiserverBehind_commandsRelist() {
    writer.list(10, A);
    upstream.probe(new Upstream.Listed("8")).probe(new Upstream.Listed("8"));
    CompletableFuture<UpstreamLookups.Progress> found = progress();

    threads.remove().run();

    assertThat(found).isCompletedWithValue(at(8));
    assertThat(demands.take()).isEqualTo(new ReflectorCommands.Relist("rollback", writer.head()));
    assertThat(demands.take()).isNull();
  }

  /** One answer of a lagging server: the next answer is from another server. */
  @Test
  void versionNotReached_isRequestedTwice() {
    writer.list(10, A);
    upstream.probe(new Upstream.Listed("12")).probe(new Upstream.Listed("20"));
    CompletableFuture<UpstreamLookups.Progress> found =
        inquirer.requestProgress(new ResourceVersion("15")).toCompletableFuture();
    CompletableFuture<UpstreamLookups.Progress> other =
        inquirer.requestProgress(new ResourceVersion("11")).toCompletableFuture();

    threads.remove().run();

    assertThat(found).isCompletedWithValue(at(20));
    assertThat(other).isCompletedWithValue(at(20));
    assertThat(upstream.asked).containsExactly("probe", "cut", "reconnect", "probe", "cut");
  }

  @Test
  void apiserverLaggingOnce_isNoRollback() {
    writer.list(10, A);
    upstream.probe(new Upstream.Listed("8")).probe(new Upstream.Listed("10"));
    CompletableFuture<UpstreamLookups.Progress> found = progress();

    threads.remove().run();

    assertThat(found).isCompletedWithValue(at(10));
    assertThat(demands.take()).isNull();
  }

  @Test
  void unansweredLookup_isUnknown() {
    writer.list(10, A);
    upstream.probe(new Upstream.ListFailed(new UpstreamFailure.Transport("away")));
    CompletableFuture<UpstreamLookups.Progress> found = progress();

    threads.remove().run();

    assertThat(found).isCompletedWithValue(new UpstreamLookups.Unknown("away"));
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
        .listAt(sink -> new Upstream.ListFailed(new UpstreamFailure.Expired("x")))
        .listAt(16, A)
        .briefWatch(
            sink -> {
              sink.bookmark("20", Upstream.BookmarkKind.PROGRESS);
              return new Upstream.WatchOutcome(null);
            });
    CompletableFuture<Boolean> old = reachBack(3);
    CompletableFuture<Boolean> early = reachBack(15);
    CompletableFuture<Boolean> late = reachBack(16);

    threads.remove().run();

    assertThat(old).isCompletedWithValue(false);
    assertThat(late).isCompletedWithValue(true);
    assertThat(early).isDone();
    assertThat(upstream.asked).startsWith("list objects at 3", "list objects at 16");
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
    threads.remove().run();

    assertThat(first).isCompletedWithValue(false);
    assertThat(second).isCompletedWithValue(false);
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
          writer.list(15, A); // another history: a backfill of the old history does not lead to it
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
        .as("two collections, a second before and after each, and one pause")
        .isEqualTo(Duration.ofSeconds(5));
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
