package io.watchgate.cli.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.watchgate.cli.output.RowStyle;
import io.watchgate.cli.output.TableShape;
import io.watchgate.client.Interruption;
import io.watchgate.client.Position;
import io.watchgate.client.WatchUpdate;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.TypeColumns;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LiveTableTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:01:00Z");
  private static final Screen.Size SIZE = new Screen.Size(60, 20);

  private final LiveTable table =
      new LiveTable(
          () -> NOW,
          new StalenessThreshold(Duration.ofMinutes(2)),
          TableShape.of(TableShape.Extra.NAMESPACE),
          TypeColumns::of);

  private static WatchEvent event(EventType type, String name, String phase) {
    String pod =
        """
        {"kind":"Pod","apiVersion":"v1","metadata":{"name":"%s","namespace":"shop",
        "creationTimestamp":"2026-01-01T00:00:00Z"},
        "spec":{"containers":[{"name":"main"}]},"status":{"phase":"%s"}}\
        """
            .formatted(name, phase);
    return WatchEvent.newBuilder()
        .setType(type)
        .setKey(ObjectKey.newBuilder().setNamespace("shop").setName(name).setUid("u-" + name))
        .setObject(ByteString.copyFromUtf8(pod))
        .build();
  }

  private void snapshot(WatchEvent... objects) {
    table.apply(new WatchUpdate.SnapshotBegun(SnapshotReason.SNAPSHOT_REASON_REQUESTED, 0, "h"));
    table.apply(new WatchUpdate.SnapshotObjects(List.of(objects)));
    table.apply(new WatchUpdate.SnapshotComplete(position(), 0, Duration.ZERO));
  }

  private static Position position() {
    return new Position("7", ByteString.EMPTY);
  }

  private void change(EventType type, String name, String phase) {
    table.apply(
        new WatchUpdate.Changes(List.of(event(type, name, phase)), position(), Optional.empty()));
  }

  private List<String> frame(Screen.Size size) {
    return RenderedFrame.render(
            table, RowStyle.COLORS, List.of("above"), List.of("below"), size, NOW)
        .stream()
        .map(line -> line.replaceAll("\033\\[[0-9;]*m", ""))
        .toList();
  }

  @Test
  void rows_sortedByNamespaceAndName() {
    snapshot(
        event(EventType.EVENT_TYPE_ADDED, "web-2", "Running"),
        event(EventType.EVENT_TYPE_ADDED, "web-1", "Pending"));

    assertThat(frame(SIZE))
        .startsWith(
            "above",
            "NAMESPACE   NAME    READY   STATUS    RESTARTS   AGE",
            "shop        web-1   0/1     Pending   0          60s",
            "shop        web-2   0/1     Running   0          60s")
        .endsWith("below");
  }

  @Test
  void narrowTerminal_lastColumnsAreLeftOut() {
    snapshot(event(EventType.EVENT_TYPE_ADDED, "web-5d8f7c9b6d-x2x4z", "Running"));

    assertThat(frame(new Screen.Size(68, 20)))
        .startsWith(
            "above",
            "NAMESPACE   NAME                   READY   STATUS    RESTARTS   AGE",
            "shop        web-5d8f7c9b6d-x2x4z   0/1     Running   0          60s");
    assertThat(frame(new Screen.Size(65, 20)))
        .startsWith(
            "above",
            "NAMESPACE   NAME                   READY   STATUS    RESTARTS",
            "shop        web-5d8f7c9b6d-x2x4z   0/1     Running   0");
    assertThat(frame(new Screen.Size(55, 20)))
        .startsWith(
            "above",
            "NAMESPACE   NAME                   READY   STATUS",
            "shop        web-5d8f7c9b6d-x2x4z   0/1     Running");
    assertThat(frame(new Screen.Size(24, 20)))
        .startsWith("above", "NAMESPACE   NAME", "shop        web-5d8f7c9…");
  }

  @Test
  void change_namesChangedColumns() {
    snapshot(event(EventType.EVENT_TYPE_ADDED, "web-1", "Pending"));

    change(EventType.EVENT_TYPE_MODIFIED, "web-1", "Running");
    change(EventType.EVENT_TYPE_DELETED, "web-1", "Running");
    change(EventType.EVENT_TYPE_ADDED, "web-1", "Pending");

    assertThat(frame(SIZE))
        .containsSubsequence(
            "~ shop/web-1  STATUS Pending → Running", "- shop/web-1  gone", "+ shop/web-1  new");
    assertThat(table.changeCount()).isEqualTo(3);
  }

  @Test
  void secondSnapshot_removesMissingObjects() {
    snapshot(
        event(EventType.EVENT_TYPE_ADDED, "web-1", "Running"),
        event(EventType.EVENT_TYPE_ADDED, "web-2", "Running"));

    snapshot(event(EventType.EVENT_TYPE_ADDED, "web-2", "Running"));

    assertThat(table.size()).isEqualTo(1);
    assertThat(table.changeCount()).isZero();
    assertThat(String.join("\n", frame(SIZE))).contains("web-2").doesNotContain("web-1");
  }

  @Test
  void rows_exceedingTerminal_areCounted() {
    snapshot(
        IntStream.range(100, 200)
            .mapToObj(i -> event(EventType.EVENT_TYPE_ADDED, "web-" + i, "Running"))
            .toArray(WatchEvent[]::new));

    for (int lines = 5; lines < 60; lines++) {
      assertThat(frame(new Screen.Size(60, lines))).hasSizeLessThanOrEqualTo(lines);
    }
    List<String> drawn = frame(SIZE);
    long rows = drawn.stream().filter(line -> line.startsWith("shop")).count();
    assertThat(drawn)
        .contains("... and " + (100 - rows) + " more; -n and -l of 'watch' show fewer");
  }

  @Test
  void rowsAfterManyDeletes_haveTheirCells() {
    snapshot(
        IntStream.range(1_000, 4_000)
            .mapToObj(i -> event(EventType.EVENT_TYPE_ADDED, "web-" + i, "Running"))
            .toArray(WatchEvent[]::new));
    IntStream.range(1_000, 3_999)
        .forEach(i -> change(EventType.EVENT_TYPE_DELETED, "web-" + i, "Running"));
    assertThat(frame(SIZE))
        .anyMatch(line -> line.startsWith("shop        web-3999") && line.contains("Running"));
  }

  @Test
  void bodies_ofTheFirst32MiB_areKept() {
    String large = "Running" + " ".repeat(1 << 20);
    snapshot(
        IntStream.range(100, 140)
            .mapToObj(i -> event(EventType.EVENT_TYPE_ADDED, "web-" + i, large))
            .toArray(WatchEvent[]::new));

    assertThat(bodies()).isEqualTo(31);
    change(EventType.EVENT_TYPE_MODIFIED, "web-139", "Pending");
    change(EventType.EVENT_TYPE_MODIFIED, "web-100", "Pending");
    assertThat(frame(SIZE))
        .anyMatch(line -> line.startsWith("~ shop/web-139  changed"))
        .anyMatch(line -> line.startsWith("~ shop/web-100  STATUS Running"));
    IntStream.range(100, 139)
        .forEach(i -> change(EventType.EVENT_TYPE_DELETED, "web-" + i, "Running"));
    change(EventType.EVENT_TYPE_MODIFIED, "web-139", "Running");
    assertThat(bodies()).isOne();
  }

  private long bodies() {
    return table.rows().values().stream().filter(row -> !row.event().getObject().isEmpty()).count();
  }

  @Test
  void longMessage_isWrapped() {
    String message = "m".repeat(130);
    List<String> lines =
        RenderedFrame.render(table, RowStyle.SIGNS, List.of(), List.of(message), SIZE, NOW);

    assertThat(String.join("", lines)).contains(message);
    assertThat(lines).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(60));
  }

  @Test
  void clusterScoped_noNamespace() {
    WatchEvent node = event(EventType.EVENT_TYPE_ADDED, "node-1", "Running");
    node = node.toBuilder().setKey(node.getKey().toBuilder().clearNamespace()).build();
    table.apply(new WatchUpdate.Changes(List.of(node), position(), Optional.empty()));

    assertThat(frame(SIZE))
        .contains("NAME     READY   STATUS    RESTARTS   AGE", "+ node-1  new")
        .noneMatch(line -> line.startsWith("NAMESPACE"));
  }

  @Test
  void lines_fitTerminalWidth() {
    snapshot(event(EventType.EVENT_TYPE_ADDED, "web-" + "x".repeat(80), "Running"));

    assertThat(frame(SIZE)).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(60));
  }

  @Test
  void name_controlCharacters_areEscaped() {
    snapshot(event(EventType.EVENT_TYPE_ADDED, "web-1", "Run\\u001b[31mning"));

    assertThat(
            String.join(
                "", RenderedFrame.render(table, RowStyle.SIGNS, List.of(), List.of(), SIZE, NOW)))
        .contains("Run\\u001b[31mning")
        .doesNotContain("\033[31m");
  }

  @Test
  void outdatedReason_stateNotConfirmed_isStale() {
    assertThat(table.outdatedReason()).isEmpty();
    table.apply(new WatchUpdate.SnapshotComplete(position(), 0, Duration.ofSeconds(30)));
    assertThat(table.outdatedReason()).isEmpty();
    table.apply(bookmark(Duration.ofSeconds(200)));
    assertThat(table.outdatedReason())
        .isEqualTo("stale: the apiserver last confirmed this state 200 s ago");
    table.apply(bookmark(Duration.ofSeconds(2)));
    assertThat(table.outdatedReason()).isEmpty();
  }

  @Test
  void outdatedReason_gatewayUnreachable_isNotConnected() {
    table.apply(
        new WatchUpdate.Interrupted(
            new Interruption.Silence(Duration.ofSeconds(90)), 1, Duration.ZERO, false));
    assertThat(table.outdatedReason()).startsWith("not connected");
    table.apply(new WatchUpdate.Opened(StreamOpened.getDefaultInstance()));
    assertThat(table.outdatedReason()).as("before the snapshot").startsWith("not connected");
    snapshot();
    assertThat(table.outdatedReason()).isEmpty();
  }

  private static WatchUpdate bookmark(Duration age) {
    return new WatchUpdate.Bookmark(
        Optional.of(position()), Optional.of(NOW.minus(age)), Optional.of(NOW));
  }
}
