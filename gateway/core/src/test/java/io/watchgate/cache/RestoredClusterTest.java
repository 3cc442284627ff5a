package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.json.FieldPaths;
import io.watchgate.json.KubeObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests with random histories of a cluster that is restored and passes the gateway's version. */
@Tag("slow")
final class RestoredClusterTest {
  private static final int RUNS = 300;
  private static final int CALLS = 80;

  /**
   * A head that is a delete, and a history after a restore in which that version is a delete of
   * another object: the two may be halves of one version, so the answer with that version proves
   * nothing before the second half has arrived.
   */
  @Test
  void answerOfTheHeadsVersion_provesNothingWhileDeletesOfItMayBeMissing() {
    new Run(5447145155691314530L).run();
  }

  /** Published states belong to one timeline, and changes follow states of the same timeline. */
  @Test
  void state_isOfOneHistoryAndNeverVerifiedTooLate() {
    int restores = 0;
    Map<Revision.Kind, Integer> kinds = new HashMap<>();
    long first = new Random().nextLong();
    for (long seed = first; seed < first + RUNS; seed++) {
      Run run = new Run(seed);
      run.run();
      restores += run.cluster.restores;
      run.kinds.forEach((kind, count) -> kinds.merge(kind, count, Integer::sum));
    }
    assertThat(restores).isGreaterThan(RUNS);
    assertThat(kinds).hasSize(Revision.Kind.values().length);
  }

  private static final class Run {
    private final long seed;
    private final VirtualTime time = new VirtualTime();
    private final CountDownLatch over = new CountDownLatch(1);
    private final RestoredCluster cluster;
    private final WatchCache cache =
        new WatchCache(
            CacheWriter.DEFINITION, CacheWriter.settings(), time.source(), CacheMetrics.NONE);
    final Map<Revision.Kind, Integer> kinds = new HashMap<>();
    private final Reflector reflector;
    private final List<Runnable> body = new ArrayList<>();
    private @Nullable Revision seen;
    private @Nullable AssertionError failure;

    /** True if a delete of the head's version has led from one timeline into another. */
    private boolean joinsHistories;

    Run(long seed) {
      this.seed = seed;
      Random random = new Random(seed);
      cluster = new RestoredCluster(random, time, CALLS, this::judgeProof, this::end);
      reflector =
          new Reflector(
              cluster,
              cache,
              FieldPaths.NONE,
              new ReflectorClock(time.source(), random, (stopped, wait) -> time.advance(wait)),
              CacheMetrics.NONE,
              new ComparisonPermits(1, Duration.ofHours(1), TimeSource.SYSTEM),
              task -> {
                body.add(task);
                return new Thread(() -> {});
              });
      cache.addListener(this::look);
    }

    private void end() {
      reflector.close();
      over.countDown();
    }

    void run() {
      body.getFirst().run();
      if (failure != null) {
        throw failure;
      }
      assertThat(over.getCount()).as("seed %d ended by itself", seed).isZero();
    }

    /** Checks that the state contains all that had happened at the time of its last proof. */
    private void judgeProof() {
      Instant verified = CacheWriter.verifiedAt(cache);
      Revision head = cache.head();
      if (verified == null || head == null || failure != null || !cluster.remembers()) {
        return;
      }
      if (joinsHistories) { // the proof is of the history before
        return;
      }
      List<RestoredCluster.Moment> moments = cluster.moments();
      boolean right = false;
      for (int i = 0; i < moments.size() && !moments.get(i).from().isAfter(verified); i++) {
        boolean was = i + 1 == moments.size() || !moments.get(i + 1).from().isBefore(verified);
        right |= was && holds(moments.get(i), head);
      }
      if (!right) {
        fail("%s is said to have been verified at %s".formatted(head, verified));
      }
    }

    /**
     * Returns whether the head has all that had happened at that moment. It is of the history of
     * then, or of one that came to the same state at the same version afterwards: no list can tell
     * these apart, and what follows that version is the same for both.
     */
    private boolean holds(RestoredCluster.Moment moment, Revision head) {
      Map<Integer, Long> sameFrom = new HashMap<>();
      List<NavigableMap<Long, Map<String, SampleObject>>> histories = cluster.histories();
      sameFrom.put(moment.history(), moment.version());
      for (int i = moment.history() + 1; i < histories.size(); i++) {
        var history = histories.get(i);
        for (int earlier = moment.history(); earlier < i; earlier++) {
          Long from = sameFrom.get(earlier);
          Long same = from == null ? null : firstEqual(histories.get(earlier), history, from);
          if (same != null) {
            sameFrom.merge(i, same, Math::min);
          }
        }
      }
      long digits = Long.parseLong(head.version().digits());
      return sameFrom.entrySet().stream()
          .anyMatch(e -> isAt(histories.get(e.getKey()), Math.max(e.getValue(), digits), head));
    }

    /** Returns the first version from which on {@code later} continues the state of {@code old}. */
    private static @Nullable Long firstEqual(
        NavigableMap<Long, Map<String, SampleObject>> old,
        NavigableMap<Long, Map<String, SampleObject>> later,
        long from) {
      for (long version = from; version <= old.lastKey(); version++) {
        if (old.floorEntry(version).getValue().equals(later.floorEntry(version).getValue())) {
          return version;
        }
      }
      return null;
    }

    private void fail(String problem) {
      failure = new AssertionError("seed %d: %s".formatted(seed, problem));
      end();
    }

    private void look() {
      Revision head = cache.head();
      if (head == null || head == seen || failure != null) {
        return;
      }
      Revision before = seen;
      seen = head;
      kinds.merge(head.kind(), 1, Integer::sum);
      // A delete of the same version completes a transaction. If the state is then that of another
      // timeline, no list can tell whether the state before was the first half of it.
      boolean completes = before != null && head.version().equals(before.version());
      boolean follows =
          cluster.remembers()
              && !completes
              && (head.kind() == Revision.Kind.CHANGES || head.kind() == Revision.Kind.PROGRESS);
      boolean right =
          cluster.histories().stream()
              .anyMatch(
                  history ->
                      has(history, head) && (!follows || before == null || has(history, before)));
      if (head.kind() != Revision.Kind.CHANGES && head.kind() != Revision.Kind.PROGRESS) {
        joinsHistories = false;
      } else if (before != null && completes) {
        joinsHistories |=
            cluster.histories().stream()
                .noneMatch(history -> has(history, head) && has(history, before));
      }
      if (!right) {
        fail("%s after %s is of no history of the cluster".formatted(head, before));
      }
      judgeProof();
    }

    private static boolean has(
        NavigableMap<Long, Map<String, SampleObject>> history, Revision revision) {
      return isAt(history, Long.parseLong(revision.version().digits()), revision);
    }

    private static boolean isAt(
        NavigableMap<Long, Map<String, SampleObject>> history, long version, Revision revision) {
      var entry = history.floorEntry(version);
      if (entry == null || entry.getValue().size() != revision.state().size()) {
        return false;
      }
      return entry.getValue().values().stream()
          .allMatch(
              object -> {
                KubeObject view = object.view();
                KubeObject held = revision.state().get(view.key());
                return held != null && held.hasSameStateAs(view);
              });
    }
  }
}
