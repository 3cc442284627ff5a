package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.watchgate.cli.WatchSession.FirstSnapshot;
import io.watchgate.cli.output.TableShape;
import io.watchgate.client.ErrorAction;
import io.watchgate.client.Interruption;
import io.watchgate.client.WatchError;
import io.watchgate.client.WatchUpdate;
import io.watchgate.client.WatchUpdate.Continuation;
import io.watchgate.proto.v1.GoingAwayReason;
import io.watchgate.proto.v1.NetEffectReason;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.WatchEvent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Exact messages of a session about interruptions, snapshots and its end. */
class WatchSessionTest extends WatchSessionFixture {
  @Test
  void resume_isReportedInOneLine() {
    WatchSession session = events();
    snapshot(session, SnapshotReason.SNAPSHOT_REASON_REQUESTED, 10, added("a", 3));
    stdout();
    Interruption cause =
        new Interruption.GoingAway(
            GoingAwayReason.GOING_AWAY_REASON_DRAINING, Duration.ofSeconds(5));
    session.onUpdate(new WatchUpdate.Interrupted(cause, 1, Duration.ofSeconds(2), false));
    session.onUpdate(reconnected(cause, Continuation.RESUMED, 1));

    assertThat(stderr())
        .isEqualTo(
            "watchgate: reconnected after 2.3 s (the gateway is shutting down): goes on right"
                + " after version 11; nothing was missed\n");
    assertThat(stdout()).isEmpty();
  }

  @Test
  void longOutage_isReportedMeanwhile() {
    WatchSession session = events();
    Interruption cause = failed("Connection refused", "");
    for (int attempt = 1; attempt < 5; attempt++) {
      session.onUpdate(new WatchUpdate.Interrupted(cause, attempt, Duration.ofSeconds(1), false));
    }
    session.onUpdate(reconnected(cause, Continuation.RESUMED, 4));

    assertThat(stderr())
        .isEqualTo(
            """
            watchgate: waiting: UNAVAILABLE: Connection refused; trying until it works, Ctrl-C ends
            watchgate: reconnected after 2.3 s, 4 attempts (UNAVAILABLE: Connection refused): goes on right after version 11; nothing was missed
            """);
  }

  @Test
  void snapshotAfterReconnect_printsDifferences() {
    WatchSession session = events();
    snapshot(
        session,
        SnapshotReason.SNAPSHOT_REASON_REQUESTED,
        10,
        added("same", 3),
        added("changed", 4),
        added("gone", 5),
        added("recreated", 6));
    stdout();
    Interruption cause = failed("bye", "DRAINING");
    session.onUpdate(new WatchUpdate.Interrupted(cause, 1, Duration.ofSeconds(1), false));
    session.onUpdate(reconnected(cause, Continuation.SNAPSHOT, 1));
    WatchEvent recreated = added("recreated", 18);
    snapshot(
        session,
        SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED,
        20,
        added("same", 3),
        added("changed", 17),
        recreated.toBuilder().setKey(recreated.getKey().toBuilder().setUid("another")).build(),
        added("new", 19));

    assertThat(stderr())
        .isEqualTo(
            "watchgate: reconnected after 2.3 s (DRAINING: bye): goes on with a snapshot at"
                + " version 20 (the gateway's history does not reach back that far); single"
                + " changes after version 11 were missed, their result: 2 added, 1"
                + " modified, 2 deleted\n");
    assertThat(stdout())
        .isEqualTo(
            """
            DELETED    recreated   <unknown>
            DELETED    gone        <unknown>
            MODIFIED   changed     <unknown>
            ADDED      recreated   <unknown>
            ADDED      new         <unknown>
            """);
  }

  @Test
  void historyLost_equalVersions_areModified() {
    WatchSession session = events();
    snapshot(session, SnapshotReason.SNAPSHOT_REASON_REQUESTED, 10, added("a", 3));
    stdout();
    snapshot(session, SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST, 8, added("a", 3));

    assertThat(stdout()).isEqualTo("MODIFIED   a      <unknown>\n");
    assertThat(stderr())
        .contains("the gateway began again", "restored from a backup")
        .endsWith(" were missed, their result: 0 added, 1 perhaps modified, 0 deleted\n");
  }

  @Test
  void interruptedSnapshot_isDiscarded() {
    WatchSession session = events();
    snapshot(session, SnapshotReason.SNAPSHOT_REASON_REQUESTED, 10, added("a", 3));
    stdout();
    session.onUpdate(
        new WatchUpdate.SnapshotBegun(SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED, 0, "h"));
    session.onUpdate(new WatchUpdate.SnapshotObjects(List.of(added("b", 4))));
    Interruption cause = failed("cut", "");
    session.onUpdate(new WatchUpdate.Interrupted(cause, 1, Duration.ofSeconds(1), true));
    session.onUpdate(reconnected(cause, Continuation.RESUMED, 1));
    session.onUpdate(changes(12, added("c", 12)));

    assertThat(stdout()).isEqualTo("ADDED      c      <unknown>\n");
  }

  @Test
  void restartedFirstSnapshot_printsNothingTwice() {
    WatchSession session = events();
    session.onUpdate(
        new WatchUpdate.SnapshotBegun(SnapshotReason.SNAPSHOT_REASON_REQUESTED, 0, "h"));
    session.onUpdate(new WatchUpdate.SnapshotObjects(List.of(added("a", 3))));
    Interruption cause = failed("cut", "DRAINING");
    session.onUpdate(new WatchUpdate.Interrupted(cause, 1, Duration.ofSeconds(1), true));
    session.onUpdate(reconnected(cause, Continuation.STARTED_OVER, 1));
    snapshot(session, SnapshotReason.SNAPSHOT_REASON_REQUESTED, 12, added("a", 3), added("b", 4));

    assertThat(stdout())
        .isEqualTo(
            """
            EVENT      NAME   AGE
            ADDED      a      <unknown>
            ADDED      b      <unknown>
            """);
    assertThat(stderr()).contains("from the beginning").hasLineCount(1);
  }

  @Test
  void expiredPositionAfterChanges_objectsNeverPrintedAreNoChanges() {
    WatchSession session = events();
    session.onUpdate(changes(12, added("a", 12), added("b", 12)));
    Interruption cause = failed("bye", "DRAINING");
    session.onUpdate(new WatchUpdate.Interrupted(cause, 1, Duration.ofSeconds(1), false));
    session.onUpdate(reconnected(cause, Continuation.SNAPSHOT, 1));
    stdout();
    snapshot(
        session,
        SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED,
        20,
        added("a", 17),
        added("old", 3));

    assertThat(stdout())
        .isEqualTo(
            """
            ADDED      old    <unknown>
            DELETED    b      <unknown>
            MODIFIED   a      <unknown>
            """);
    assertThat(stderr())
        .isEqualTo(
            "watchgate: reconnected after 2.3 s (DRAINING: bye): goes on with a snapshot at"
                + " version 20 (the gateway's history does not reach back that far); changes after"
                + " version 11 were missed; printing the current 2 objects\n");
  }

  @Test
  void changesOnly_brokenFirstSnapshot_itsRestIsNotPrinted() {
    WatchSession session = changesOnly();
    session.onUpdate(
        new WatchUpdate.SnapshotBegun(SnapshotReason.SNAPSHOT_REASON_REQUESTED, 0, "h"));
    session.onUpdate(new WatchUpdate.SnapshotObjects(List.of(added("a", 3), added("b", 4))));
    Interruption cause = failed("cut", "DRAINING");
    session.onUpdate(new WatchUpdate.Interrupted(cause, 1, Duration.ofSeconds(1), true));
    session.onUpdate(reconnected(cause, Continuation.STARTED_OVER, 1));
    snapshot(
        session,
        SnapshotReason.SNAPSHOT_REASON_REQUESTED,
        12,
        added("a", 3),
        added("b", 11),
        added("c", 5));

    assertThat(stdout()).endsWith("MODIFIED   b      <unknown>\n").doesNotContain("ADDED");
  }

  @Test
  void changesOnly_expiredPositionAfterChange_existingObjectsAreNotPrinted() {
    WatchSession session = changesOnly();
    session.onUpdate(changes(12, added("a", 12)));
    stdout();
    snapshot(
        session,
        SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED,
        20,
        added("a", 12),
        added("old", 3));

    assertThat(stdout()).isEmpty();
    assertThat(stderr()).endsWith("skipping the current 2 objects\n");
    snapshot(
        session,
        SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED,
        30,
        added("a", 12),
        added("new", 25));

    assertThat(stdout()).contains("DELETED    old").contains("ADDED      new");
  }

  @Test
  void netEffect_isReported() {
    WatchSession session = events();
    session.onUpdate(
        new WatchUpdate.Changes(
            List.of(added("a", 12)),
            at(20),
            Optional.of(
                new WatchUpdate.NetEffect(NetEffectReason.NET_EFFECT_REASON_UPSTREAM_GAP, 7))));

    assertThat(stderr())
        .isEqualTo(
            "watchgate: 7 changes up to version 20 were combined (the gateway had to list"
                + " again); their net effect: 1 added, 0 modified, 0 deleted\n");
  }

  @Test
  void emptySnapshot_isReported() {
    WatchSession session = events();
    session.onUpdate(
        new WatchUpdate.SnapshotBegun(SnapshotReason.SNAPSHOT_REASON_REQUESTED, 0, "h"));
    session.onUpdate(new WatchUpdate.SnapshotComplete(at(10), 0, Duration.ZERO));

    assertThat(stderr()).contains("nothing matches yet");
    assertThat(stdout()).isEmpty();
  }

  @Test
  void finalError_isReportedWithReason() {
    WatchSession session = events();
    session.onUpdate(
        new WatchUpdate.Ended(
            new WatchError(
                Status.Code.NOT_FOUND,
                "TYPE_UNKNOWN",
                ErrorAction.STOP,
                "there is no type 'pod5'; did you mean pods?",
                Duration.ZERO)));

    assertThat(stderr())
        .isEqualTo(
            """
            watchgate: TYPE_UNKNOWN: there is no type 'pod5'; did you mean pods?
              'watchgate types' lists all
              see docs/reference/errors.md#type_unknown
            """);
    assertThat(outcome.exitCode()).isCompletedWithValue(1);
  }

  @Test
  void gatewayNotReady_isRetried() {
    WatchSession session = events();
    session.onUpdate(
        new WatchUpdate.Interrupted(
            new Interruption.Failed(
                new WatchError(
                    Status.Code.UNAVAILABLE,
                    "STARTING",
                    ErrorAction.RESUME,
                    "loading",
                    Duration.ofSeconds(1))),
            1,
            Duration.ofSeconds(1),
            false));

    assertThat(stderr()).contains("waiting: STARTING: loading");
    assertThat(outcome.exitCode()).isNotCompleted();
  }

  @Test
  void startAheadOfCluster_messageNamesNumberOfAttempts() {
    WatchSession session = session(table(TableShape.Extra.EVENT));
    Interruption behind = failure(Status.Code.UNAVAILABLE, "BEHIND", "9 has not arrived.");
    interrupt(session, 1, failure(Status.Code.UNAVAILABLE, "STARTING", "pods load."));
    interrupt(session, 2, behind);
    interrupt(session, 3, behind);

    assertThat(stderr())
        .isEqualTo(
            """
            watchgate: waiting: STARTING: pods load; trying until it works, Ctrl-C ends
              see docs/reference/errors.md#starting
            watchgate: waiting: BEHIND: 9 has not arrived; is the version of --from one of this cluster and type? Trying 3 times in all, Ctrl-C ends
              see docs/reference/errors.md#behind
            """);
    assertThat(outcome.exitCode()).isNotCompleted();
    interrupt(session, 4, behind);

    assertThat(stderr()).contains("the gateway waited for it 3 times");
    assertThat(outcome.exitCode()).isCompletedWithValue(1);
  }

  @Test
  void severalReplicas_oneIsDown_nextIsTried() {
    WatchSession session = session(table(), settings(FirstSnapshot.PRINTED, 2));
    interrupt(session, 1, failed("Connection refused", ""));
    assertThat(outcome.exitCode()).isNotCompleted();
    assertThat(stderr())
        .isEqualTo(
            "watchgate: a replica cannot be reached: UNAVAILABLE: Connection refused; trying the"
                + " next\n");

    interrupt(session, 2, failed("Connection refused", ""));
    assertThat(outcome.exitCode()).isCompletedWithValue(1);
    assertThat(stderr()).contains("no gateway ever answered there");
  }

  @Test
  void connectionLostAfterStartingGateway_isRetried() {
    WatchSession session = session(table(TableShape.Extra.EVENT));
    interrupt(session, 1, failure(Status.Code.UNAVAILABLE, "STARTING", "pods load."));
    interrupt(session, 2, failed("Connection refused", ""));

    assertThat(outcome.exitCode()).isNotCompleted();
  }

  @Test
  void killedGateway_causeIsLostConnection() {
    WatchSession session = events();
    for (String message : List.of("Network closed for unknown reason", "Connection reset")) {
      Interruption cause = failed(message, "");
      interrupt(session, 1, cause);
      session.onUpdate(reconnected(cause, Continuation.RESUMED, 1));

      assertThat(stderr())
          .isEqualTo(
              "watchgate: reconnected after 2.3 s (the connection was closed): goes on right after"
                  + " version 11; nothing was missed\n");
      interrupt(session, 2, cause);
      assertThat(stderr()).startsWith("watchgate: waiting: the connection was closed; trying");
      interrupt(session, 1, failed("away", ""));
    }
  }

  private static Interruption failure(Status.Code code, String reason, String message) {
    return new Interruption.Failed(
        new WatchError(code, reason, ErrorAction.RESUME, message, Duration.ofSeconds(2)));
  }

  private static Interruption bare(Status.Code code) {
    return new Interruption.Failed(
        new WatchError(
            code,
            "",
            ErrorAction.RESUME,
            "HTTP status code 404",
            Duration.ZERO,
            Optional.empty(),
            WatchError.Origin.OTHER_SERVER));
  }

  private static void interrupt(WatchSession session, int attempt, Interruption cause) {
    session.onUpdate(new WatchUpdate.Interrupted(cause, attempt, Duration.ofSeconds(1), false));
  }

  @Test
  void fullStop_beforeClause_isOmitted() {
    WatchSession session = events();
    Interruption cause =
        failure(
            Status.Code.UNAVAILABLE, "UPSTREAM_UNAVAILABLE", "the log of this gateway says why.");
    interrupt(session, 1, cause);
    session.onUpdate(reconnected(cause, Continuation.RESUMED, 1));

    assertThat(stderr())
        .isEqualTo(
            """
            watchgate: waiting: UPSTREAM_UNAVAILABLE: the log of this gateway says why; trying until it works, Ctrl-C ends
              see docs/reference/errors.md#upstream_unavailable
            watchgate: reconnected after 2.3 s (UPSTREAM_UNAVAILABLE: the log of this gateway says why): goes on right after version 11; nothing was missed
            """);
  }

  @Test
  void upstreamForbidden_reportedOnceWithAdministratorHint() {
    WatchSession session = events();
    interrupt(session, 1, failure(Status.Code.UNAVAILABLE, "STARTING", "pods load."));
    Interruption forbidden =
        failure(
            Status.Code.UNAVAILABLE,
            "UPSTREAM_FORBIDDEN",
            "\"gateway\" cannot list pods. Grant it.");
    for (int attempt = 2; attempt < 5; attempt++) {
      interrupt(session, attempt, forbidden);
    }

    assertThat(stderr())
        .isEqualTo(
            """
            watchgate: waiting: STARTING: pods load; trying until it works, Ctrl-C ends
              see docs/reference/errors.md#starting
            watchgate: waiting: UPSTREAM_FORBIDDEN: "gateway" cannot list pods. Grant it; an administrator of the cluster must grant this to the gateway; retrying at longer intervals until then, Ctrl-C ends
              see docs/reference/errors.md#upstream_forbidden
            """);
    assertThat(outcome.exitCode()).isNotCompleted();
  }

  @Test
  void secondOutageOfSameReason_isReportedWithoutPointer() {
    WatchSession session = events();
    Interruption starting = failure(Status.Code.UNAVAILABLE, "STARTING", "pods load.");
    for (int outage = 0; outage < 2; outage++) {
      interrupt(session, 1, starting);
      session.onUpdate(reconnected(starting, Continuation.RESUMED, 1));
    }

    assertThat(stderr())
        .containsOnlyOnce("see docs/reference/errors.md#starting")
        .matches("(?s)(.*waiting: STARTING){2}.*");
  }

  @Test
  void proxyError_beforeAdmission_isRetried() {
    WatchSession session = session(table(TableShape.Extra.EVENT));
    for (Status.Code code : List.of(Status.Code.UNIMPLEMENTED, Status.Code.UNAVAILABLE)) {
      interrupt(session, 1, bare(code));
    }

    assertThat(stderr())
        .isEqualTo(
            "watchgate: waiting: the server at 127.0.0.1:7443 is not a Watchgate gateway, or a"
                + " proxy answered (UNIMPLEMENTED: HTTP status code 404); trying until a gateway"
                + " answers, Ctrl-C ends\n");
    assertThat(outcome.exitCode()).isNotCompleted();
  }

  @Test
  void httpAnswers_beforeAdmission_endTheWatch() {
    WatchSession session = session(table(), settings(FirstSnapshot.PRINTED, 2));
    for (int attempt = 1; attempt <= 5; attempt++) {
      interrupt(session, attempt, http(Status.Code.UNIMPLEMENTED));
      interrupt(session, attempt, http(Status.Code.UNAVAILABLE)); // as of a proxy without gateways
    }
    assertThat(outcome.exitCode()).isNotCompleted();

    interrupt(session, 6, http(Status.Code.UNIMPLEMENTED));
    assertThat(stderr())
        .containsOnlyOnce("trying 6 times in all, Ctrl-C ends")
        .contains("so the watch ends. gRPC is on port 7443 by default");
    assertThat(outcome.exitCode()).isCompletedWithValue(1);
  }

  private static Interruption http(Status.Code code) {
    return new Interruption.Failed(
        new WatchError(
            code,
            "",
            ErrorAction.RESUME,
            "HTTP status code 404 invalid content-type: text/plain",
            Duration.ZERO,
            Optional.empty(),
            WatchError.Origin.OTHER_SERVER));
  }

  @Test
  void proxyError_afterAdmission_reportedIfRepeated() {
    WatchSession session = events();
    interrupt(session, 1, bare(Status.Code.PERMISSION_DENIED));
    assertThat(stderr()).isEmpty();
    interrupt(session, 2, bare(Status.Code.PERMISSION_DENIED));

    assertThat(stderr())
        .isEqualTo(
            "watchgate: waiting: PERMISSION_DENIED: HTTP status code 404; trying until it works,"
                + " Ctrl-C ends\n");
    assertThat(outcome.exitCode()).isNotCompleted();
  }

  @Test
  void snapshot_incomplete_rowsArePrinted() {
    WatchSession session = events();
    session.onUpdate(
        new WatchUpdate.SnapshotBegun(SnapshotReason.SNAPSHOT_REASON_REQUESTED, 10_000, "h"));
    session.onUpdate(new WatchUpdate.SnapshotObjects(List.of(added("a", 3))));

    assertThat(stdout()).contains("ADDED      a ");
  }

  @Test
  void expiredStart_isReported() {
    WatchSession session = events();
    snapshot(
        session, SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED, 20, added("a", 3), added("b", 4));

    assertThat(stderr())
        .isEqualTo(
            "watchgate: goes on with a snapshot at version 20 (the gateway's history does not reach"
                + " back that far); changes since the given start were missed; printing the current"
                + " 2 objects\n");
    assertThat(stdout()).hasLineCount(3);
  }

  @Test
  void message_controlCharacters_areEscaped() {
    reporter.report("a\033[31m\rb\n  c");

    assertThat(stderr()).isEqualTo("watchgate: a\\u001b[31m\\rb\n  c\n");
  }

  @Command
  private static final class Until {
    @Mixin private final UntilOptions options = new UntilOptions();
  }

  @Test
  void timeoutZero_noGatewayAdmits_ends() throws Exception {
    Until until = new Until();
    new CommandLine(until).parseArgs("--until", "created", "--timeout", "0");
    WatchSession session = session(table());
    interrupt(session, 1, failure(Status.Code.UNAVAILABLE, "STARTING", "pods load."));

    assertThat(until.options.awaitExitCode(outcome, reporter, Duration.ofMillis(1))).isEqualTo(1);
    assertThat(stderr()).endsWith("so nothing could be checked; a longer --timeout waits longer\n");
  }

  @Test
  void timeoutZero_countsFromFirstState() throws Exception {
    Until until = new Until();
    new CommandLine(until).parseArgs("--until", "deleted", "--timeout", "0");
    WatchSession session = events();
    snapshot(session, SnapshotReason.SNAPSHOT_REASON_REQUESTED, 10, added("a", 3));

    assertThat(until.options.awaitExitCode(outcome, reporter, Duration.ZERO)).isEqualTo(124);
    assertThat(stderr()).endsWith(" is not met by the objects that exist\n");
  }
}
