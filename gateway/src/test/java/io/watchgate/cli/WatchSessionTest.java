package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.watchgate.client.Action;
import io.watchgate.client.Interruption;
import io.watchgate.client.Position;
import io.watchgate.client.WatchError;
import io.watchgate.client.WatchUpdate;
import io.watchgate.client.WatchUpdate.Continuation;
import io.watchgate.proto.v1.BodyOmitted;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.GoingAwayReason;
import io.watchgate.proto.v1.NetEffectReason;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.proto.v1.WatchEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is printed, to the letter. */
class WatchSessionTest {
  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.parse("2026-01-01T00:10:00Z"));
  private static final ServerAddress SERVER = new ServerAddress("127.0.0.1", 7443);

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final Narrator narrator =
      new Narrator(new PrintStream(err, true, StandardCharsets.UTF_8));

  private WatchSession session(EventOutput output) {
    return new WatchSession(output, narrator, SERVER);
  }

  private WatchSession events() {
    WatchSession session =
        session(new TableOutput(out, CLOCK, EnumSet.of(TableOutput.Extra.EVENT)));
    session.onUpdate(new WatchUpdate.Opened(StreamOpened.getDefaultInstance()));
    return session;
  }

  private String printed() {
    String text = out.toString(StandardCharsets.UTF_8);
    out.reset();
    return text;
  }

  private String said() {
    String text = err.toString(StandardCharsets.UTF_8);
    err.reset();
    return text;
  }

  private static Position at(int version) {
    return new Position(Integer.toString(version), ByteString.copyFromUtf8("t" + version));
  }

  private static WatchEvent pod(
      EventType type, String namespace, String name, int version, String status) {
    String object =
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\",\"creationTimestamp\":\"2026-01-01T00:00:00Z\"},\"spec\":{\"containers\":[{\"name\":\"a\"}]},\"status\":%s}"
            .formatted(name, namespace, status);
    return event(type, namespace, name, version, object);
  }

  private static WatchEvent event(
      EventType type, String namespace, String name, int version, String object) {
    return WatchEvent.newBuilder()
        .setType(type)
        .setKey(ObjectKey.newBuilder().setNamespace(namespace).setName(name).setUid("uid-" + name))
        .setResourceVersion(Integer.toString(version))
        .setObject(ByteString.copyFromUtf8(object))
        .build();
  }

  private static WatchEvent added(String name, int version) {
    return event(EventType.EVENT_TYPE_ADDED, "ns", name, version, config(name));
  }

  private static String config(String name) {
    return "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\""
        + name
        + "\"}}";
  }

  private static WatchUpdate changes(int version, WatchEvent... events) {
    return new WatchUpdate.Changes(List.of(events), at(version), Optional.empty());
  }

  private static void snapshot(
      WatchSession session, SnapshotReason reason, int version, WatchEvent... events) {
    session.onUpdate(new WatchUpdate.SnapshotBegun(reason, 0, "h"));
    session.onUpdate(new WatchUpdate.SnapshotObjects(List.of(events)));
    session.onUpdate(new WatchUpdate.SnapshotComplete(at(version), events.length, Duration.ZERO));
  }

  private static Interruption failed(String message, String reason) {
    return new Interruption.Failed(
        new WatchError(Status.Code.UNAVAILABLE, reason, Action.RESUME, message, Duration.ZERO));
  }

  private static WatchUpdate reconnected(
      Interruption cause, Continuation continuation, int attempts) {
    return new WatchUpdate.Reconnected(
        cause, attempts, Duration.ofMillis(2_340), continuation, Optional.of(at(11)));
  }

  @Test
  void podsAreListedAsKubectlListsThem() {
    WatchSession session =
        session(new TableOutput(out, CLOCK, EnumSet.of(TableOutput.Extra.NAMESPACE)));
    String running =
        "{\"phase\":\"Running\",\"containerStatuses\":[{\"name\":\"a\",\"ready\":true,\"restartCount\":2,"
            + "\"state\":{\"running\":{}},\"lastState\":{\"terminated\":{\"finishedAt\":\"2026-01-01T00:05:00Z\"}}}]}";
    snapshot(
        session,
        SnapshotReason.SNAPSHOT_REASON_REQUESTED,
        10,
        pod(EventType.EVENT_TYPE_ADDED, "default", "web-1", 3, running),
        pod(EventType.EVENT_TYPE_ADDED, "shop", "api-12345", 4, "{\"phase\":\"Pending\"}"));
    session.onUpdate(
        changes(
            11,
            pod(
                EventType.EVENT_TYPE_MODIFIED,
                "a-long-namespace",
                "web-2",
                11,
                "{\"phase\":\"Running\"}")));

    assertThat(printed())
        .isEqualTo(
            """
            NAMESPACE   NAME        READY   STATUS    RESTARTS     AGE
            default     web-1       1/1     Running   2 (5m ago)   10m
            shop        api-12345   0/1     Pending   0            10m
            a-long-namespace   web-2       0/1     Running   0            10m
            """);
    assertThat(said()).isEmpty();
  }

  @Test
  void otherTypesHaveNameAndAgeAndAnEventColumnOnRequest() {
    WatchSession session =
        session(new TableOutput(out, CLOCK, EnumSet.allOf(TableOutput.Extra.class)));
    String node =
        "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\",\"creationTimestamp\":\"2025-12-01T00:00:00Z\"}}";
    snapshot(
        session,
        SnapshotReason.SNAPSHOT_REASON_REQUESTED,
        10,
        event(EventType.EVENT_TYPE_ADDED, "", "n", 3, node));
    session.onUpdate(changes(11, event(EventType.EVENT_TYPE_DELETED, "", "n", 11, "{}")));

    assertThat(printed())
        .isEqualTo(
            """
            EVENT      NAME   AGE
            ADDED      n      31d
            DELETED    n      <unknown>
            """);
  }

  @Test
  void jsonLinesCarryTheBytesOfTheObject() {
    WatchSession session = session(new JsonOutput(out));
    String odd = "{\"b\":1,\"a\":9007199254740993,\"c\":\"\\u003c\\u00e9é\"}";
    session.onUpdate(changes(11, event(EventType.EVENT_TYPE_MODIFIED, "ns", "x", 11, odd)));

    assertThat(printed()).isEqualTo("{\"type\":\"MODIFIED\",\"object\":" + odd + "}\n");
  }

  @Test
  void namesAreThoseOfKubectl() {
    WatchSession session = session(new NameOutput(out));
    session.onUpdate(
        changes(
            11,
            added("settings", 9),
            event(
                EventType.EVENT_TYPE_ADDED,
                "ns",
                "web",
                10,
                "{\"kind\":\"Deployment\",\"apiVersion\":\"apps/v1\"}")));

    assertThat(printed()).isEqualTo("configmap/settings\ndeployment.apps/web\n");
  }

  @Test
  void aResumeIsToldInOneLine() {
    WatchSession session = events();
    snapshot(session, SnapshotReason.SNAPSHOT_REASON_REQUESTED, 10, added("a", 3));
    printed();
    Interruption cause =
        new Interruption.GoingAway(
            GoingAwayReason.GOING_AWAY_REASON_DRAINING, Duration.ofSeconds(5));
    session.onUpdate(new WatchUpdate.Interrupted(cause, 1, Duration.ofSeconds(2), false));
    session.onUpdate(reconnected(cause, Continuation.RESUMED, 1));

    assertThat(said())
        .isEqualTo(
            "watchgate: reconnected after 2.3 s (the gateway is shutting down): goes on right"
                + " after version 11; nothing was missed\n");
    assertThat(printed()).isEmpty();
  }

  @Test
  void aLongOutageIsToldWhileItLasts() {
    WatchSession session = events();
    Interruption cause = failed("Connection refused", "");
    for (int attempt = 1; attempt < 5; attempt++) {
      session.onUpdate(new WatchUpdate.Interrupted(cause, attempt, Duration.ofSeconds(1), false));
    }
    session.onUpdate(reconnected(cause, Continuation.RESUMED, 4));

    assertThat(said())
        .isEqualTo(
            """
            watchgate: waiting: UNAVAILABLE: Connection refused; trying until it works, Ctrl-C ends
            watchgate: reconnected after 2.3 s, 4 attempts (UNAVAILABLE: Connection refused): goes on right after version 11; nothing was missed
            """);
  }

  @Test
  void aSnapshotAfterAReconnectPrintsOnlyWhatDiffersAndSaysWhatWasMissed() {
    WatchSession session = events();
    snapshot(
        session,
        SnapshotReason.SNAPSHOT_REASON_REQUESTED,
        10,
        added("same", 3),
        added("changed", 4),
        added("gone", 5),
        added("recreated", 6));
    printed();
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

    assertThat(said())
        .isEqualTo(
            "watchgate: reconnected after 2.3 s (DRAINING: bye): goes on with a snapshot at"
                + " version 20 (the gateway's history does not reach back that far); single"
                + " changes after version 11 were missed, their result is printed: 2 added, 1"
                + " modified, 2 deleted\n");
    assertThat(printed())
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
  void whatASnapshotFindsMissingIsDeletedWithItsIdentity() {
    WatchSession session = session(new JsonOutput(out));
    snapshot(session, SnapshotReason.SNAPSHOT_REASON_REQUESTED, 10, added("gone", 5));
    printed();
    snapshot(session, SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED, 20);

    assertThat(printed())
        .isEqualTo(
            "{\"type\":\"DELETED\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"gone\",\"namespace\":\"ns\",\"uid\":\"uid-gone\",\"resourceVersion\":\"5\"}}}\n");
  }

  @Test
  void inAnotherHistoryEqualVersionsProveNothing() {
    WatchSession session = events();
    snapshot(session, SnapshotReason.SNAPSHOT_REASON_REQUESTED, 10, added("a", 3));
    printed();
    snapshot(session, SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST, 8, added("a", 3));

    assertThat(printed()).isEqualTo("MODIFIED   a      <unknown>\n");
    assertThat(said()).contains("the gateway began again", "restored from a backup");
  }

  @Test
  void aSnapshotThatWasCutIsForgotten() {
    WatchSession session = events();
    snapshot(session, SnapshotReason.SNAPSHOT_REASON_REQUESTED, 10, added("a", 3));
    printed();
    session.onUpdate(
        new WatchUpdate.SnapshotBegun(SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED, 0, "h"));
    session.onUpdate(new WatchUpdate.SnapshotObjects(List.of(added("b", 4))));
    Interruption cause = failed("cut", "");
    session.onUpdate(new WatchUpdate.Interrupted(cause, 1, Duration.ofSeconds(1), true));
    session.onUpdate(reconnected(cause, Continuation.RESUMED, 1));
    session.onUpdate(changes(12, added("c", 12)));

    assertThat(printed()).isEqualTo("ADDED      c      <unknown>\n");
  }

  @Test
  void aFirstSnapshotThatIsBegunAgainPrintsNothingTwice() {
    WatchSession session = events();
    session.onUpdate(
        new WatchUpdate.SnapshotBegun(SnapshotReason.SNAPSHOT_REASON_REQUESTED, 0, "h"));
    session.onUpdate(new WatchUpdate.SnapshotObjects(List.of(added("a", 3))));
    Interruption cause = failed("cut", "DRAINING");
    session.onUpdate(new WatchUpdate.Interrupted(cause, 1, Duration.ofSeconds(1), true));
    session.onUpdate(reconnected(cause, Continuation.STARTED_OVER, 1));
    snapshot(session, SnapshotReason.SNAPSHOT_REASON_REQUESTED, 12, added("a", 3), added("b", 4));

    assertThat(printed())
        .isEqualTo(
            """
            EVENT      NAME   AGE
            ADDED      a      <unknown>
            ADDED      b      <unknown>
            """);
    assertThat(said()).contains("from the beginning").hasLineCount(1);
  }

  @Test
  void aNetEffectIsTold() {
    WatchSession session = events();
    session.onUpdate(
        new WatchUpdate.Changes(
            List.of(added("a", 12)),
            at(20),
            Optional.of(
                new WatchUpdate.NetEffect(NetEffectReason.NET_EFFECT_REASON_UPSTREAM_GAP, 7))));

    assertThat(said())
        .isEqualTo(
            "watchgate: 7 changes up to version 20 were not sent singly (the gateway had to list"
                + " again); their net effect is printed: 1 added, 0 modified, 0 deleted\n");
  }

  @Test
  void anEmptyStartIsTold() {
    WatchSession session = events();
    session.onUpdate(
        new WatchUpdate.SnapshotBegun(SnapshotReason.SNAPSHOT_REASON_REQUESTED, 0, "h"));
    session.onUpdate(new WatchUpdate.SnapshotComplete(at(10), 0, Duration.ZERO));

    assertThat(said()).contains("nothing matches yet");
    assertThat(printed()).isEmpty();
  }

  @Test
  void anObjectWithoutItsBodyIsToldAndIdentified() {
    WatchSession session = session(new JsonOutput(out));
    session.onUpdate(
        changes(
            11,
            added("a", 3),
            added("big", 11).toBuilder()
                .clearObject()
                .setOmitted(BodyOmitted.newBuilder().setSize(5_000_000))
                .build()));

    assertThat(said()).contains("ns/big has 5000000 bytes");
    assertThat(printed()).contains("{\"kind\":\"ConfigMap\"").contains("\"name\":\"big\"");
  }

  @Test
  void anErrorThatEndsTheWatchIsToldWithItsReason() {
    WatchSession session = events();
    session.onUpdate(
        new WatchUpdate.Ended(
            new WatchError(
                Status.Code.NOT_FOUND,
                "TYPE_UNKNOWN",
                Action.STOP,
                "there is no type 'pod5'; did you mean pods?",
                Duration.ZERO)));

    assertThat(said())
        .isEqualTo("watchgate: TYPE_UNKNOWN: there is no type 'pod5'; did you mean pods?\n");
    assertThat(session.exitCode()).isCompletedWithValue(1);
  }

  @Test
  void aGatewayThatIsNotReadyIsWaitedFor() {
    WatchSession session = events();
    session.onUpdate(
        new WatchUpdate.Interrupted(
            new Interruption.Failed(
                new WatchError(
                    Status.Code.UNAVAILABLE,
                    "STARTING",
                    Action.RESUME,
                    "loading",
                    Duration.ofSeconds(1))),
            1,
            Duration.ofSeconds(1),
            false));

    assertThat(said()).contains("waiting: STARTING: loading");
    assertThat(session.exitCode()).isNotCompleted();
  }

  @Test
  void aReaderThatLeftEndsTheWatchQuietly() {
    WatchSession session = session(new NameOutput(new Broken("Broken pipe")));
    session.onUpdate(changes(11, added("a", 3)));

    assertThat(session.exitCode()).isCompletedWithValue(0);
    assertThat(said()).isEmpty();
  }

  @Test
  void aFullDiskIsTold() {
    WatchSession session = session(new NameOutput(new Broken("No space left on device")));
    session.onUpdate(changes(11, added("a", 3)));

    assertThat(session.exitCode()).isCompletedWithValue(1);
    assertThat(said()).isEqualTo("watchgate: cannot write to stdout: No space left on device\n");
  }

  /** Cannot be written to. */
  private static final class Broken extends OutputStream {
    private final String why;

    Broken(String why) {
      this.why = why;
    }

    @Override
    public void write(int b) throws IOException {
      throw new IOException(why);
    }
  }
}
