package io.watchgate.cache;

import static io.watchgate.cache.ScriptedUpstream.send;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests that after a lost connection nothing newer is applied before the state is compared. */
final class HistoryProofTest extends ReflectorScript {
  private static final UpstreamFailure CUT = new UpstreamFailure.Transport("reset");

  private static Upstream.WatchOutcome ended(Upstream.End end) {
    return new Upstream.WatchOutcome(null, end);
  }

  @Test
  void restoredClusterAhead_isLostHistory() {
    listed()
        .watch(CUT)
        .probe(new Upstream.Listed("30"))
        .listAt(10, A)
        .listAt(10, A)
        .list(30, A, B.uid("other").at(25));

    assertThat(afterTheList())
        .containsExactly(
            "watch 10",
            "wait 0",
            "probe",
            "list metadata at 10",
            "reconnect",
            "wait 1000",
            "list metadata at 10",
            "list",
            "watch 30");
    assertThat(head().kind()).isEqualTo(Revision.Kind.HISTORY_LOST);
    assertThat(listedFor).containsExactly("initial", "restored");
    assertThat(outcomes).containsExactly("history lost");
  }

  private static Upstream.WatchOutcome oneDeletedThenCut(Upstream.WatchSink sink) {
    send(sink, Upstream.EventType.DELETED, A.at(20));
    return new Upstream.WatchOutcome(CUT);
  }

  private static Upstream.WatchOutcome bothDeleted(Upstream.WatchSink sink) {
    send(sink, Upstream.EventType.DELETED, A.at(20));
    send(sink, Upstream.EventType.DELETED, B.at(20));
    return ended(Upstream.End.ON_TIME);
  }

  /** The connection breaks between two deletes of one transaction, which have one version. */
  @Test
  void cutBetweenDeletesOfOneVersion_losesNone() {
    listed()
        .watch(HistoryProofTest::oneDeletedThenCut)
        .listAt(20)
        .listAt(20)
        .briefWatch(HistoryProofTest::bothDeleted)
        .watch(HistoryProofTest::bothDeleted);

    assertThat(afterTheList())
        .containsExactly(
            "watch 10",
            "wait 0",
            "probe",
            "list metadata at 20",
            "reconnect",
            "wait 1000",
            "list metadata at 20",
            "brief watch 19",
            "watch 19",
            "probe",
            "watch 19");
    assertThat(head().state().size()).isZero();
    assertThat(head().kind()).isEqualTo(Revision.Kind.CHANGES);
    assertThat(head().events()).isEqualTo(4);
    assertThat(outcomes).containsExactly("history same");
  }

  /** The apiserver ends again before it has sent the other delete. */
  @Test
  void cutBetweenDeletes_watchFails_isTriedAgain() {
    listed()
        .watch(HistoryProofTest::oneDeletedThenCut)
        .listAt(20)
        .listAt(20)
        .briefWatch(sink -> new Upstream.WatchOutcome(CUT))
        .listAt(20)
        .listAt(20)
        .briefWatch(HistoryProofTest::bothDeleted)
        .watch(HistoryProofTest::bothDeleted);

    run();

    assertThat(head().state().size()).isZero();
    assertThat(head().kind()).isEqualTo(Revision.Kind.CHANGES);
    assertThat(outcomes).containsExactly("history failed", "history same");
  }

  /** A restarted apiserver accepts watches from its first version on. */
  @Test
  void cutAfterAllDeletesOfOneVersion_watchesFromThatVersion() {
    listed()
        .watch(
            sink -> {
              bothDeleted(sink);
              return new Upstream.WatchOutcome(CUT);
            })
        .listAt(20);

    assertThat(afterTheList())
        .containsExactly("watch 10", "wait 0", "probe", "list metadata at 20", "watch 20");
  }

  @Test
  void cutBetweenDeletes_otherHistory_isLost() {
    listed()
        .watch(HistoryProofTest::oneDeletedThenCut)
        .listAt(20, A, B.at(15))
        .listAt(20, A, B.at(15))
        .briefWatch(
            sink -> {
              sink.bookmark("21", Upstream.BookmarkKind.PROGRESS);
              return ended(Upstream.End.ON_TIME);
            })
        .list(21, A, B.at(15))
        .list(21, A, B.at(15));

    run();

    assertThat(head().kind()).isEqualTo(Revision.Kind.HISTORY_LOST);
  }

  /**
   * Every object that the lost timeline had changed was changed again: the list shows no
   * difference.
   */
  @Test
  void differenceHiddenByList_isLostHistory() {
    listed()
        .watch(CUT)
        .probe(new Upstream.Listed("30"))
        .listAt(10, A, B.at(4))
        .listAt(10, A, B.at(4))
        .list(30, A, B.at(25));

    run();

    assertThat(head().kind()).isEqualTo(Revision.Kind.HISTORY_LOST);
  }

  @Test
  void differenceOfLaggingServer_isIgnored() {
    listed().watch(CUT).listAt(10, A).listAt(10, A, B);

    assertThat(afterTheList()).endsWith("list metadata at 10", "watch 10");
    assertThat(outcomes).containsExactly("history same");
  }

  @Test
  void earlyEnd_isFollowedByProofWithoutWait() {
    listed()
        .watch(
            sink -> {
              time.advance(Duration.ofMinutes(2));
              return ended(Upstream.End.EARLY);
            })
        .watch(
            sink -> {
              time.advance(Duration.ofMinutes(3));
              return ended(Upstream.End.SILENT);
            });

    assertThat(afterTheList())
        .containsExactly(
            "watch 10",
            "probe",
            "list metadata at 10",
            "watch 10",
            "probe",
            "list metadata at 10",
            "watch 10");
  }

  @Test
  void failedProbeAfterDueWatch_requiresProof() {
    listed().watch(sink -> lasting(Duration.ofMinutes(5)));

    upstream.probe(new Upstream.ListFailed(CUT));

    assertThat(afterTheList())
        .containsExactly("watch 10", "probe", "list metadata at 10", "watch 10");
  }

  @Test
  void failedProof_isWatchFailure() {
    listed().watch(CUT).listAt(sink -> new Upstream.ListFailed(CUT));

    assertThat(afterTheList())
        .containsExactly(
            "watch 10",
            "wait 0",
            "probe",
            "list metadata at 10",
            "wait 0",
            "probe",
            "list metadata at 10",
            "watch 10");
  }

  /**
   * The changes between are not known: objects may have come and gone, and a restored cluster may
   * have come to the same state by other changes.
   */
  @Test
  void forgottenVersion_equalPresentList_isGap() {
    listed()
        .watch(CUT)
        .listAt(sink -> new Upstream.ListFailed(new UpstreamFailure.Expired("compacted")))
        .listMetadata(90, A, B);

    assertThat(afterTheList()).endsWith("list metadata at 10", "list metadata", "watch 90");
    assertThat(head().kind()).isEqualTo(Revision.Kind.RELIST);
    assertThat(outcomes).containsExactly("history same");
  }

  @Test
  void inexactServer_changesLeadToList_areGap() {
    listed()
        .watch(CUT)
        .listAt(20, A.at(15))
        .listMetadata(20, A.at(15))
        .briefWatch(
            sink -> {
              send(sink, Upstream.EventType.DELETED, B.at(12));
              assertThat(head().version()).hasToString("10");
              send(sink, Upstream.EventType.MODIFIED, A.at(15));
              sink.bookmark("21", Upstream.BookmarkKind.PROGRESS);
              throw new AssertionError("it was not enough");
            });

    assertThat(afterTheList())
        .endsWith("list metadata at 10", "list metadata", "brief watch 10", "watch 20");
    assertThat(head().kind()).isEqualTo(Revision.Kind.RELIST);
    assertThat(head().version()).hasToString("20");
    assertThat(head().state().size()).isEqualTo(1);
    assertThat(head().events()).isEqualTo(4);
    assertThat(listedFor).containsExactly("initial");
  }

  @Test
  void inexactServer_deletesAtListedVersion_leadToList() {
    listed()
        .watch(CUT)
        .listAt(20)
        .listMetadata(20)
        .briefWatch(
            sink -> {
              send(sink, Upstream.EventType.DELETED, A.at(20));
              send(sink, Upstream.EventType.DELETED, B.at(20));
              throw new AssertionError("it was not enough");
            });

    assertThat(afterTheList()).endsWith("list metadata", "brief watch 10", "watch 20");
    assertThat(head().state().size()).isZero();
    assertThat(head().kind()).isEqualTo(Revision.Kind.RELIST);
  }

  @Test
  void changesToAnotherState_causeList() {
    listed()
        .watch(CUT)
        .listAt(20, A.at(15))
        .listMetadata(20, A.at(15))
        .briefWatch(
            sink -> {
              send(sink, Upstream.EventType.MODIFIED, A.at(15));
              return new Upstream.WatchOutcome(null);
            })
        .list(21, A.at(15))
        .list(21, A.at(15));

    assertThat(afterTheList()).endsWith("brief watch 10", "list", "watch 21");
    assertThat(listedFor).containsExactly("initial", "unprovable");
    assertThat(head().kind()).isEqualTo(Revision.Kind.RELIST);
  }

  /** An object of the cached version or before that is not cached did not exist then. */
  @Test
  void unknownOldObject_inListAfterDisconnect_isLostHistory() {
    listed()
        .watch(new UpstreamFailure.Expired("restarted"))
        .list(30, A, B, SampleObject.of("n", "c", 9))
        .list(30, A, B, SampleObject.of("n", "c", 9));

    assertThat(afterTheList())
        .containsExactly("watch 10", "list", "reconnect", "wait 1000", "list", "watch 30");
    assertThat(head().kind()).isEqualTo(Revision.Kind.HISTORY_LOST);
  }

  @Test
  void listOfLaggingServer_isNoLostHistory() {
    listed().watch(new UpstreamFailure.Expired("restarted")).list(8, A).list(12, A, B);

    assertThat(afterTheList())
        .containsExactly("watch 10", "list", "reconnect", "wait 1000", "list", "watch 12");
    assertThat(head().kind()).isEqualTo(Revision.Kind.RELIST);
    assertThat(listedFor).containsExactly("initial", "expired");
  }

  @Test
  void largeType_peeksBeforeMetadataList() {
    SampleObject[] many = new SampleObject[501];
    for (int i = 0; i < many.length; i++) {
      many[i] = SampleObject.of("n", "o" + (1000 + i), 5);
    }
    upstream
        .list(10, many)
        .watch(CUT)
        .briefWatch(sink -> new Upstream.WatchOutcome(new UpstreamFailure.Expired("restarted")))
        .list(12, many);

    assertThat(afterTheList())
        .containsExactly("watch 10", "wait 0", "probe", "brief watch 10", "list", "watch 12");
  }

  /** Answers meanwhile are about the present cluster, but the state may be of another timeline. */
  @Test
  void beforeProof_nothingIsVerified() {
    listed()
        .watch(
            sink -> {
              time.advance(Duration.ofSeconds(20));
              return new Upstream.WatchOutcome(CUT);
            })
        .probe(new Upstream.Listed("10"))
        .listAt(
            sink -> {
              assertThat(Duration.ofNanos(cache.proofs().stalenessNanos())).hasSeconds(20);
              sink.item(A.bytes());
              sink.item(B.bytes());
              return new Upstream.Listed("10");
            })
        .watch(
            sink -> {
              assertThat(cache.proofs().stalenessNanos()).isZero();
              return lasting(Duration.ofSeconds(2));
            });

    run();
  }
}
