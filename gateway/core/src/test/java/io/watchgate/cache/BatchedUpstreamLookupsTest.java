package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.json.FieldPaths;
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
  private final CacheMetrics metrics = CacheMetricsRecorder.of(outcomes);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final BatchedUpstreamLookups inquirer =
      new BatchedUpstreamLookups(
          new VersionProbe(upstream, writer.cache(), metrics, (latch, wait) -> {}, stopped),
          writer.cache(),
          demands,
          new BatchedBackfills(
              writer.cache(),
              new Backfill(upstream, writer.cache(), FieldPaths.NONE, metrics),
              metrics,
              (latch, wait) -> time.advance(wait),
              threads::add,
              stopped),
          threads::add,
          stopped);

  private CompletableFuture<UpstreamLookups.Progress> progress() {
    return inquirer.requestProgress().toCompletableFuture();
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
    assertThat(demands.take())
        .isEqualTo(new ReflectorCommands.Relist(ListReason.ROLLBACK, writer.head()));
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
}
