package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cli.output.JsonOutput;
import io.watchgate.cli.output.NameOutput;
import io.watchgate.cli.output.RowStyle;
import io.watchgate.cli.output.TableShape;
import io.watchgate.proto.v1.BodyOmitted;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.WatchEvent;
import java.io.IOException;
import java.io.OutputStream;
import org.junit.jupiter.api.Test;

/** Exact output of each format. */
class WatchOutputTest extends WatchSessionFixture {
  private static WatchEvent pod(
      EventType type, String namespace, String name, int version, String status) {
    String object =
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\",\"creationTimestamp\":\"2026-01-01T00:00:00Z\"},\"spec\":{\"containers\":[{\"name\":\"a\"}]},\"status\":%s}"
            .formatted(name, namespace, status);
    return event(type, namespace, name, version, object);
  }

  @Test
  void table_pods_equalsKubectl() {
    WatchSession session = session(table(TableShape.Extra.NAMESPACE));
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

    assertThat(stdout())
        .isEqualTo(
            """
            NAMESPACE   NAME        READY   STATUS    RESTARTS     AGE
            default     web-1       1/1     Running   2 (5m ago)   10m
            shop        api-12345   0/1     Pending   0            10m
            a-long-namespace   web-2       0/1     Running   0            10m
            """);
    assertThat(stderr()).isEmpty();
  }

  @Test
  void table_otherType_hasNameAndAge() {
    WatchSession session = session(table(TableShape.Extra.EVENT, TableShape.Extra.NAMESPACE));
    String widget =
        "{\"kind\":\"Widget\",\"apiVersion\":\"example.com/v1\",\"metadata\":{\"name\":\"n\",\"creationTimestamp\":\"2025-12-01T00:00:00Z\"}}";
    snapshot(
        session,
        SnapshotReason.SNAPSHOT_REASON_REQUESTED,
        10,
        event(EventType.EVENT_TYPE_ADDED, "", "n", 3, widget));
    session.onUpdate(changes(11, event(EventType.EVENT_TYPE_DELETED, "", "n", 11, "{}")));

    assertThat(stdout())
        .isEqualTo(
            """
            EVENT      NAME   AGE
            ADDED      n      31d
            DELETED    n      <unknown>
            """);
  }

  @Test
  void json_hasObjectBytes() {
    WatchSession session = session(new JsonOutput(out));
    String odd = "{\"b\":1,\"a\":9007199254740993,\"c\":\"\\u003c\\u00e9é\"}";
    session.onUpdate(changes(11, event(EventType.EVENT_TYPE_MODIFIED, "ns", "x", 11, odd)));

    assertThat(stdout()).isEqualTo("{\"type\":\"MODIFIED\",\"object\":" + odd + "}\n");
  }

  @Test
  void name_equalsKubectl() {
    WatchSession session = session(new NameOutput(out, RowStyle.PLAIN));
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

    assertThat(stdout()).isEqualTo("setting.example.com/settings\ndeployment.apps/web\n");
  }

  @Test
  void snapshot_missingObject_isDeletedWithIdentity() {
    WatchSession session = session(new JsonOutput(out));
    snapshot(session, SnapshotReason.SNAPSHOT_REASON_REQUESTED, 10, added("gone", 5));
    stdout();
    snapshot(session, SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED, 20);

    assertThat(stdout())
        .isEqualTo(
            "{\"type\":\"DELETED\",\"object\":{\"kind\":\"Setting\",\"apiVersion\":\"example.com/v1\",\"metadata\":{\"name\":\"gone\",\"namespace\":\"ns\",\"uid\":\"uid-gone\",\"resourceVersion\":\"5\"}}}\n");
  }

  @Test
  void omittedBody_isReportedAndIdentified() {
    WatchSession session = session(new JsonOutput(out));
    session.onUpdate(
        changes(
            11,
            added("a", 3),
            added("big", 11).toBuilder()
                .clearObject()
                .setOmitted(BodyOmitted.newBuilder().setSize(5_000_000))
                .build()));

    assertThat(stderr()).contains("ns/big has 5000000 bytes");
    assertThat(stdout()).contains("{\"kind\":\"Setting\"").contains("\"name\":\"big\"");
  }

  @Test
  void brokenPipe_endsWatchSilently() {
    WatchSession session = session(new NameOutput(new Broken("Broken pipe"), RowStyle.PLAIN));
    session.onUpdate(changes(11, added("a", 3)));

    assertThat(outcome.exitCode()).isCompletedWithValue(0);
    assertThat(stderr()).isEmpty();
  }

  /** The operating system's message depends on the locale. */
  @Test
  void brokenPipe_isRecognizedByTheMessageOfThisMachine() {
    assertThat(Stdio.brokenPipeText()).isNotEmpty();
    assertThat(Stdio.isBrokenPipe(new IOException(Stdio.brokenPipeText()))).isTrue();
    assertThat(Stdio.isBrokenPipe(new IOException("Resource temporarily unavailable"))).isFalse();
  }

  @Test
  void fullDisk_isReported() {
    WatchSession session =
        session(new NameOutput(new Broken("No space left on device"), RowStyle.PLAIN));
    session.onUpdate(changes(11, added("a", 3)));

    assertThat(outcome.exitCode()).isCompletedWithValue(1);
    assertThat(stderr()).isEqualTo("watchgate: cannot write to stdout: No space left on device\n");
  }

  /** Stream that fails on every write. */
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
