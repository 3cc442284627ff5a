package io.watchgate.cli;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.watchgate.cli.WatchSession.FirstSnapshot;
import io.watchgate.cli.output.EventOutput;
import io.watchgate.cli.output.RowStyle;
import io.watchgate.cli.output.TableOutput;
import io.watchgate.client.ErrorAction;
import io.watchgate.client.Interruption;
import io.watchgate.client.Position;
import io.watchgate.client.WatchError;
import io.watchgate.client.WatchUpdate;
import io.watchgate.client.WatchUpdate.Continuation;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.TypeColumns.Width;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Sessions with captured output, and updates for them. */
abstract class WatchSessionFixture {
  static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2026-01-01T00:10:00Z"));
  static final ServerAddress SERVER = new ServerAddress("127.0.0.1", 7443);

  final ByteArrayOutputStream out = new ByteArrayOutputStream();
  final ByteArrayOutputStream err = new ByteArrayOutputStream();
  volatile String upstreamTrouble = "";
  final ReconnectReporter narrator =
      new ReconnectReporter(new PrintStream(err, true, StandardCharsets.UTF_8));

  WatchSession session(EventOutput output) {
    return session(output, settings());
  }

  WatchSession session(EventOutput output, WatchSession.Settings settings) {
    return new WatchSession(
        output, narrator, settings, new StalenessNotice(narrator, () -> upstreamTrouble));
  }

  static WatchSession.Settings settings() {
    return new WatchSession.Settings(
        SERVER,
        Selection.getDefaultInstance(),
        FirstSnapshot.PRINTED,
        Optional.empty(),
        Optional.empty());
  }

  TableOutput table(TableOutput.Extra... extras) {
    return new TableOutput(out, CLOCK, Set.of(extras), Width.NARROW, RowStyle.PLAIN);
  }

  WatchSession events() {
    WatchSession session = session(table(TableOutput.Extra.EVENT));
    session.onUpdate(new WatchUpdate.Opened(StreamOpened.getDefaultInstance()));
    return session;
  }

  String stdout() {
    String text = out.toString(StandardCharsets.UTF_8);
    out.reset();
    return text;
  }

  String stderr() {
    String text = err.toString(StandardCharsets.UTF_8);
    err.reset();
    return text;
  }

  static Position at(int version) {
    return new Position(Integer.toString(version), ByteString.copyFromUtf8("t" + version));
  }

  static WatchEvent event(
      EventType type, String namespace, String name, int version, String object) {
    return WatchEvent.newBuilder()
        .setType(type)
        .setKey(ObjectKey.newBuilder().setNamespace(namespace).setName(name).setUid("uid-" + name))
        .setResourceVersion(Integer.toString(version))
        .setObject(ByteString.copyFromUtf8(object))
        .build();
  }

  static WatchEvent added(String name, int version) {
    return event(EventType.EVENT_TYPE_ADDED, "ns", name, version, config(name));
  }

  static String config(String name) {
    return "{\"kind\":\"Setting\",\"apiVersion\":\"example.com/v1\",\"metadata\":{\"name\":\""
        + name
        + "\"}}";
  }

  static WatchUpdate bookmark(int version, Duration age) {
    Instant sent = CLOCK.instant();
    return new WatchUpdate.Bookmark(
        Optional.of(at(version)), Optional.of(sent.minus(age)), Optional.of(sent));
  }

  static WatchUpdate changes(int version, WatchEvent... events) {
    return new WatchUpdate.Changes(List.of(events), at(version), Optional.empty());
  }

  static void snapshot(
      WatchSession session, SnapshotReason reason, int version, WatchEvent... events) {
    session.onUpdate(new WatchUpdate.SnapshotBegun(reason, 0, "h"));
    session.onUpdate(new WatchUpdate.SnapshotObjects(List.of(events)));
    session.onUpdate(new WatchUpdate.SnapshotComplete(at(version), events.length, Duration.ZERO));
  }

  static Interruption failed(String message, String reason) {
    return new Interruption.Failed(
        new WatchError(
            Status.Code.UNAVAILABLE, reason, ErrorAction.RESUME, message, Duration.ZERO));
  }

  static WatchUpdate reconnected(Interruption cause, Continuation continuation, int attempts) {
    return new WatchUpdate.Reconnected(
        cause, attempts, Duration.ofMillis(2_340), continuation, Optional.of(at(11)));
  }
}
