package io.watchgate.cache;

import static io.watchgate.cache.ScriptedUpstream.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.json.FieldPaths;
import io.watchgate.json.KubeObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Tests of the backfill of changes from before the start of this replica. */
final class BackfillTest {
  private static final SampleObject A = SampleObject.of("n", "a", 5);
  private static final SampleObject B = SampleObject.of("n", "b", 6);
  private static final SampleObject C = SampleObject.of("n", "c", 7);

  private final VirtualTime time = new VirtualTime();
  private final ScriptedUpstream upstream = new ScriptedUpstream();
  private final List<String> outcomes = new ArrayList<>();
  private CacheWriter writer = new CacheWriter(CacheWriter.settings(), time.source());

  private Backfill backfill() {
    return new Backfill(
        upstream, writer.cache(), FieldPaths.NONE, CacheMetricsRecorder.of(outcomes));
  }

  private boolean reach(long version) {
    return backfill().extendHistoryTo(version(version)) == Backfill.Reach.REACHED;
  }

  private static ResourceVersion version(long number) {
    return new ResourceVersion(Long.toString(number));
  }

  private Revision floor(long version) {
    return Objects.requireNonNull(writer.cache().revisionAtOrBefore(version(version)));
  }

  private static Upstream.WatchOutcome bookmark(Upstream.WatchSink sink, long version) {
    sink.bookmark(Long.toString(version), Upstream.BookmarkKind.PROGRESS);
    return new Upstream.WatchOutcome(null);
  }

  private static List<Revision> from(Revision first) {
    List<Revision> chain = new ArrayList<>();
    for (Revision at = first; at != null; at = at.next()) {
      chain.add(at);
    }
    return chain;
  }

  @Test
  void backfill_leadsToCachedStateWithoutGap() {
    writer.list(20, A.at(12), B.at(18));
    writer.put(A.at(21));
    upstream
        .listAt(10, A, C)
        .briefWatch(
            sink -> {
              send(sink, Upstream.EventType.MODIFIED, A.at(12));
              send(sink, Upstream.EventType.DELETED, C.at(14));
              send(sink, Upstream.EventType.ADDED, B.at(18));
              return bookmark(sink, 23);
            });

    assertThat(reach(10)).isTrue();
    writer.put(A.at(24));

    List<Revision> chain = from(floor(11));
    assertThat(chain)
        .extracting(revision -> revision.version().digits())
        .containsExactly("10", "12", "14", "18", "20", "21", "24");
    assertThat(chain.subList(1, chain.size()))
        .extracting(Revision::kind)
        .containsExactly(
            Revision.Kind.CHANGES,
            Revision.Kind.CHANGES,
            Revision.Kind.CHANGES,
            Revision.Kind.PROGRESS,
            Revision.Kind.CHANGES,
            Revision.Kind.CHANGES);
    assertThat(chain).extracting(Revision::events).isSorted();
    assertThat(chain).extracting(Revision::supersededBytes).isSorted();
    assertThat(chain).extracting(Revision::number).isSorted().doesNotHaveDuplicates();
    assertThat(writer.head().events() - chain.getFirst().events()).isEqualTo(5);
    assertThat(writer.head().hasGapSince(chain.getFirst())).isFalse();
    assertThat(chain.get(3).digest()).isEqualTo(chain.get(4).digest());
    assertThat(new StateDiff(chain.get(3).state(), chain.get(4).state(), KeyRange.ALL).next())
        .as("what a net effect over the end of the past would be")
        .isNull();
    assertThat(floor(13).version()).hasToString("12");
    assertThat(upstream.asked).containsExactly("list objects at 10", "brief watch 10");
    assertThat(outcomes).containsExactly("backfill reached");
  }

  /**
   * Several objects are deleted at the version of the list: etcd does this when a lease expires.
   */
  @Test
  void deletesAtOneVersion_areAllBackfilled() {
    writer.list(20, B);
    upstream
        .listAt(10, A, B, C)
        .briefWatch(
            sink -> {
              send(sink, Upstream.EventType.DELETED, A.at(20));
              send(sink, Upstream.EventType.DELETED, C.at(20));
              return bookmark(sink, 23);
            });

    assertThat(reach(10)).isTrue();
    assertThat(from(floor(10)).stream().mapToInt(revision -> revision.changes().size()).sum())
        .isEqualTo(2);
    Revision first = Objects.requireNonNull(floor(10).next());
    assertThat(writer.cache().revisionAtOrBefore(version(20), first.digest())).isSameAs(first);
  }

  /** The first watch ends between the deletes. */
  @Test
  void deletesAtOneVersion_inTwoWatches_areAllBackfilled() {
    writer.list(21, B);
    upstream
        .listAt(10, A, B, C)
        .briefWatch(
            sink -> {
              send(sink, Upstream.EventType.DELETED, A.at(20));
              return new Upstream.WatchOutcome(null);
            })
        .briefWatch(
            sink -> {
              send(sink, Upstream.EventType.DELETED, A.at(20));
              send(sink, Upstream.EventType.DELETED, C.at(20));
              return bookmark(sink, 23);
            });

    assertThat(reach(10)).isTrue();
    assertThat(upstream.asked)
        .containsExactly("list objects at 10", "brief watch 10", "brief watch 19");
  }

  /** Some aggregated servers send DELETED with the object's last version: nothing else is due. */
  @Test
  void deleteWithoutVersionOfItsOwn_endOfWatch_continuesFromIt() {
    writer.list(21, B);
    upstream
        .listAt(10, B)
        .briefWatch(
            sink -> {
              send(sink, Upstream.EventType.ADDED, C.at(20));
              send(sink, Upstream.EventType.DELETED, C.at(20));
              return new Upstream.WatchOutcome(null);
            })
        .briefWatch(sink -> bookmark(sink, 23));

    assertThat(reach(10)).isTrue();
    assertThat(upstream.asked)
        .containsExactly("list objects at 10", "brief watch 10", "brief watch 20");
  }

  /** The states at the beginning and at the end are equal, although there were changes. */
  @Test
  void transientObject_isBackfilled() {
    writer.list(20, A);
    upstream
        .listAt(10, A)
        .briefWatch(
            sink -> {
              send(sink, Upstream.EventType.ADDED, C.at(12));
              send(sink, Upstream.EventType.DELETED, C.at(13));
              return bookmark(sink, 20);
            });

    assertThat(reach(10)).isTrue();

    assertThat(from(floor(10)).stream().mapToInt(revision -> revision.changes().size()).sum())
        .isEqualTo(2);
  }

  /** It could be read then; the proof of the present state has to leave it out all the same. */
  @Test
  void objectThatCannotBeReadNow_staysMarked() {
    writer.list(20, A);
    byte[] key = C.view().key();
    writer.cache().skipped().skip(Optional.of(key), "too large");
    upstream
        .listAt(10, A, C)
        .briefWatch(
            sink -> {
              send(sink, Upstream.EventType.DELETED, C.at(13));
              return bookmark(sink, 20);
            });

    assertThat(reach(10)).isTrue();

    assertThat(writer.cache().skipped().contains(key)).isTrue();
  }

  @Test
  void cachedObjects_areSharedWithBackfill() {
    writer.list(20, A, B);
    upstream.listAt(10, A, B).briefWatch(sink -> bookmark(sink, 20));

    assertThat(reach(10)).isTrue();

    KubeObject held = Objects.requireNonNull(writer.held("n/a"));
    assertThat(floor(10).state().get(held.key())).isSameAs(held);
  }

  /**
   * A change after the cached version ends the watch without a bookmark, and so does the cached
   * change itself.
   */
  @Test
  void firstCachedChange_endsBackfill() {
    writer.list(20, A.at(20));
    upstream
        .listAt(10, A)
        .briefWatch(
            sink -> {
              send(sink, Upstream.EventType.MODIFIED, A.at(20));
              throw new AssertionError("read beyond the end");
            });
    assertThat(reach(10)).isTrue();

    upstream
        .listAt(8, A)
        .briefWatch(
            sink -> {
              send(sink, Upstream.EventType.MODIFIED, A.at(20));
              throw new AssertionError("read beyond the end");
            });
    assertThat(reach(8)).isTrue();
    assertThat(from(floor(8)).stream().map(Revision::number)).doesNotHaveDuplicates();
    assertThat(writer.head().hasGapSince(floor(8))).isFalse();
  }

  @Test
  void backfillToAnotherState_isRejected() {
    writer.list(20, A.at(12));
    upstream
        .listAt(10, A, C)
        .briefWatch(
            sink -> {
              send(sink, Upstream.EventType.MODIFIED, A.at(12));
              return bookmark(sink, 20);
            });

    assertThat(reach(10)).isFalse();

    assertThat(writer.cache().revisionAtOrBefore(version(10))).isNull();
    assertThat(writer.head().kind()).isEqualTo(Revision.Kind.RELIST);
    assertThat(outcomes).containsExactly("backfill different");
  }

  @Test
  void watchEndedEarly_isContinuedUpToTheLimit() {
    writer.list(20, A.at(12));
    upstream.listAt(10, A);
    upstream.briefWatch(
        sink -> {
          send(sink, Upstream.EventType.MODIFIED, A.at(12));
          return bookmark(sink, 12);
        });
    for (int i = 0; i < 5; i++) {
      upstream.briefWatch(sink -> bookmark(sink, 12));
    }

    assertThat(reach(10)).isFalse();

    assertThat(upstream.asked)
        .startsWith("list objects at 10", "brief watch 10", "brief watch 12")
        .hasSize(7);
    assertThat(outcomes).containsExactly("backfill failed");
  }

  /** For types like events: other events may still be on their way. */
  @Test
  void withoutBookmarks_nothingIsProven() {
    writer.list(20, A.at(12));
    upstream
        .listAt(10, A)
        .briefWatch(
            sink -> {
              send(sink, Upstream.EventType.MODIFIED, A.at(12));
              return new Upstream.WatchOutcome(null);
            })
        .briefWatch(sink -> new Upstream.WatchOutcome(null));

    assertThat(reach(10)).isFalse();

    assertThat(upstream.asked)
        .containsExactly("list objects at 10", "brief watch 10", "brief watch 12");
    assertThat(outcomes).containsExactly("backfill failed");
  }

  /** A busy apiserver may end a brief watch before the bookmark is due. */
  @Test
  void bookmarkOfSecondWatch_completesBackfill() {
    writer.list(20, A);
    upstream
        .listAt(10, A)
        .briefWatch(sink -> new Upstream.WatchOutcome(null))
        .briefWatch(sink -> bookmark(sink, 20));

    assertThat(reach(10)).isTrue();

    assertThat(outcomes).containsExactly("backfill reached");
  }

  @Test
  void fullHistory_fetchesNothing() {
    smallHistory();
    for (long version = 51; version < 60; version++) {
      writer.put(A.at(version).padding(1_000));
    }

    assertThat(reach(10)).isFalse();
    assertThat(upstream.asked).isEmpty();
  }

  /**
   * After trimming, the oldest revision is a change: the backfill leads up to it and does not
   * repeat it.
   */
  @Test
  void changeInOldestRevision_isNotRepeated() {
    writer =
        new CacheWriter(
            CacheWriter.settings().withHistory(Duration.ofMinutes(10), 1 << 20), time.source());
    writer.list(20, A);
    writer.put(B.at(21));
    time.advance(Duration.ofMinutes(11));
    writer.put(C.at(22));
    time.advance(Duration.ofMinutes(11));
    writer.put(A.at(23));
    Revision oldest = Objects.requireNonNull(writer.cache().oldest());
    assertThat(oldest.kind()).isEqualTo(Revision.Kind.CHANGES);
    upstream
        .listAt(10, A)
        .briefWatch(
            sink -> {
              for (SampleObject change : List.of(B.at(21), C.at(22), A.at(23))) {
                send(sink, Upstream.EventType.MODIFIED, change);
              }
              throw new AssertionError("read beyond the end");
            });

    assertThat(reach(10)).isTrue();

    List<Revision> chain = from(floor(10));
    assertThat(chain).extracting(revision -> revision.version().digits()).doesNotHaveDuplicates();
    assertThat(chain.subList(1, chain.size()))
        .allSatisfy(revision -> assertThat(revision.changes()).hasSize(1));
    assertThat(chain).extracting(Revision::events).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void forgottenVersion_isNotRequestedAgain() {
    writer.list(20, A);
    Backfill backfill = backfill();
    upstream
        .listAt(sink -> new Upstream.ListFailed(new UpstreamFailure.Expired("x")))
        .listAt(15, A)
        .briefWatch(sink -> bookmark(sink, 20));

    assertThat(backfill.extendHistoryTo(version(10)))
        .isEqualTo(Backfill.Reach.VERSION_NOT_AVAILABLE);
    assertThat(backfill.extendHistoryTo(version(9)))
        .isEqualTo(Backfill.Reach.VERSION_NOT_AVAILABLE);
    assertThat(backfill.extendHistoryTo(version(15))).isEqualTo(Backfill.Reach.REACHED);

    assertThat(upstream.asked)
        .containsExactly("list objects at 10", "list objects at 15", "brief watch 15");
  }

  /**
   * Neither a backfill that reached a newer version nor one that failed for another reason makes
   * the apiserver remember again.
   */
  @Test
  void forgottenVersion_isNotRequestedAfterOtherAttempts() {
    writer.list(20, A);
    Backfill backfill = backfill();
    upstream
        .listAt(sink -> new Upstream.ListFailed(new UpstreamFailure.Expired("x")))
        .listAt(sink -> new Upstream.ListFailed(new UpstreamFailure.Malformed("x")))
        .listAt(15, A)
        .briefWatch(sink -> bookmark(sink, 20));
    for (long version : List.of(10L, 12L, 15L)) {
      backfill.extendHistoryTo(version(version));
    }
    assertThat(backfill.isKnownToFail(version(12))).isTrue();
    time.advance(Duration.ofSeconds(30));

    assertThat(backfill.extendHistoryTo(version(10)))
        .isEqualTo(Backfill.Reach.VERSION_NOT_AVAILABLE);
    assertThat(backfill.isKnownToFail(version(11))).isFalse();
    assertThat(upstream.asked)
        .containsExactly(
            "list objects at 10", "list objects at 12", "list objects at 15", "brief watch 15");
  }

  /** Without the right to list, no version can be fetched. */
  @Test
  void refusedBackfill_blocksAllVersionsForAWhile() {
    writer.list(20, A);
    Backfill backfill = backfill();
    upstream.listAt(sink -> new Upstream.ListFailed(new UpstreamFailure.Forbidden("x")));

    assertThat(backfill.extendHistoryTo(version(10))).isEqualTo(Backfill.Reach.NOTHING_AVAILABLE);

    assertThat(backfill.isKnownToFail(version(19))).isTrue();
    time.advance(Duration.ofSeconds(30));
    assertThat(backfill.isKnownToFail(version(10))).isFalse();
  }

  /** A token can be forged, and each attempt lists all objects. */
  @Test
  void failedBackfill_isBlockedForAWhile() {
    writer.list(20, A);
    Backfill backfill = backfill();
    upstream
        .listAt(sink -> new Upstream.ListFailed(new UpstreamFailure.Malformed("x")))
        .listAt(15, A)
        .briefWatch(sink -> bookmark(sink, 20));

    assertThat(backfill.extendHistoryTo(version(15)))
        .isEqualTo(Backfill.Reach.VERSION_NOT_AVAILABLE);
    time.advance(Duration.ofSeconds(29));
    assertThat(backfill.extendHistoryTo(version(15)))
        .isEqualTo(Backfill.Reach.VERSION_NOT_AVAILABLE);
    time.advance(Duration.ofSeconds(1));
    assertThat(backfill.extendHistoryTo(version(15))).isEqualTo(Backfill.Reach.REACHED);
  }

  /** Another backfill is published between the list of this one and its end. */
  @Test
  void historyThatBeginsElsewhereMeanwhile_isNotExtended() {
    writer.list(20, A.at(12), B.at(18));
    upstream
        .listAt(10, A)
        .briefWatch(
            sink -> {
              assertThat(
                      writer.backfill(
                          15,
                          List.of(A.at(12)),
                          other -> send(other, Upstream.EventType.ADDED, B.at(18))))
                  .isTrue();
              send(sink, Upstream.EventType.MODIFIED, A.at(12));
              send(sink, Upstream.EventType.ADDED, B.at(18));
              return bookmark(sink, 20);
            });

    assertThat(reach(10)).isFalse();

    assertThat(outcomes).containsExactly("backfill moved");
    assertThat(writer.cache().revisionAtOrBefore(version(10))).isNull();
    assertThat(from(floor(15)))
        .extracting(revision -> revision.version().digits())
        .containsExactly("15", "18", "20");
  }

  @Test
  void lostHistory_isNotBackfilled() {
    writer.list(20, A);
    writer.list(15, A);

    assertThat(reach(10)).isFalse();
    assertThat(upstream.asked).isEmpty();
  }

  private void smallHistory() {
    CacheSettings small = CacheWriter.settings().withHistory(Duration.ofMinutes(10), 10_000);
    writer = new CacheWriter(small, time.source());
    writer.list(50, A.at(40));
  }

  @Test
  void tooDifferentState_isNotFetched() {
    smallHistory();
    upstream.listAt(10, A, B.padding(11_000));

    assertThat(reach(10)).isFalse();
    assertThat(outcomes).containsExactly("backfill too_large");
  }

  @Test
  void tooManyChanges_areNotFetched() {
    smallHistory();
    upstream
        .listAt(10, A)
        .briefWatch(
            sink -> {
              LongStream.range(11, 40)
                  .forEach(at -> send(sink, Upstream.EventType.MODIFIED, A.at(at).padding(1_000)));
              throw new AssertionError("read on");
            });

    assertThat(reach(10)).isFalse();
    assertThat(outcomes).containsExactly("backfill too_large");
    assertThat(writer.cache().historySize()).isEqualTo(1);
  }

  @Test
  void oldBackfill_staysOneMinuteUnlessHistoryIsFull() {
    smallHistory();
    time.advance(Duration.ofHours(1));
    writer.bookmark(51);
    time.advance(Duration.ofMinutes(11));
    upstream
        .listAt(10, A)
        .briefWatch(
            sink -> {
              send(sink, Upstream.EventType.MODIFIED, A.at(40));
              return bookmark(sink, 51);
            });
    assertThat(reach(10)).isTrue();

    time.advance(Duration.ofSeconds(59));
    writer.bookmark(52);
    assertThat(writer.cache().revisionAtOrBefore(version(10))).isNotNull();
    time.advance(Duration.ofSeconds(2));
    writer.bookmark(53);
    assertThat(writer.cache().revisionAtOrBefore(version(10))).isNull();

    upstream
        .listAt(10, A)
        .briefWatch(
            sink -> {
              send(sink, Upstream.EventType.MODIFIED, A.at(40));
              return bookmark(sink, 54);
            });
    assertThat(reach(10)).isTrue();
    for (long version = 55; version < 65; version++) {
      writer.put(A.at(version).padding(1_000));
      assertThat(writer.cache().historyBytes()).isLessThanOrEqualTo(10_000);
    }
    assertThat(writer.cache().revisionAtOrBefore(version(10))).isNull();
  }
}
