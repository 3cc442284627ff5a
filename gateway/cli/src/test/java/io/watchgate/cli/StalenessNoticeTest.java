package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import com.google.rpc.Code;
import io.watchgate.client.WatchUpdate;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.ServedType;
import io.watchgate.proto.v1.SnapshotReason;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages on stderr about a state that the apiserver has not confirmed recently. */
@Timeout(300)
class StalenessNoticeTest extends WatchSessionFixture {
  private static final String AWAY = "the apiserver at 10.0.0.1:6443 cannot be reached";

  private void awaitStderr(String text) {
    await().untilAsserted(() -> assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo(text));
    err.reset();
  }

  private void awaitStderrContaining(String... texts) {
    await().untilAsserted(() -> assertThat(err.toString(StandardCharsets.UTF_8)).contains(texts));
  }

  private static void list(
      ScriptedGateway gateway, long seconds, String error, String resource, String... options) {
    gateway.pages.add(
        ListObjectsResponse.newBuilder()
            .setResourceVersion("10")
            .setStaleness(
                com.google.protobuf.Duration.newBuilder().setSeconds(seconds).setNanos(250_000_000))
            .addObjects(ScriptedGateway.event(EventType.EVENT_TYPE_ADDED, "one", 3))
            .build());
    gateway.types =
        ListResourceTypesResponse.newBuilder()
            .addTypes(
                ServedType.newBuilder()
                    .setResourceType(
                        ResourceType.newBuilder()
                            .setGroup("example.com")
                            .setVersion("v1")
                            .setResource("settings"))
                    .setKind("Setting")
                    .addShortNames("se")
                    .setError(error))
            .build();
    String[] line = new String[options.length + 2];
    line[0] = "list";
    line[1] = resource;
    System.arraycopy(options, 0, line, 2, options.length);
    assertThat(gateway.run(line)).isZero();
  }

  @ParameterizedTest
  @CsvSource({"settings", "se", "setting", "settings.example.com"})
  void list_apiserverUnreachable_reportsAgeAndReason(String resource) {
    try (ScriptedGateway gateway = new ScriptedGateway()) {
      list(gateway, 24, AWAY, resource, "-o", "name");

      assertThat(gateway.stdout()).isEqualTo("setting.example.com/one\n");
      assertThat(gateway.stderr())
          .isEqualTo(
              "watchgate: stale: the apiserver last confirmed this state 24 s ago; the gateway"
                  + " cannot ask it now: "
                  + AWAY
                  + "\n");
    }
  }

  @Test
  void list_olderThanLimit_reportsAge() {
    try (ScriptedGateway gateway = new ScriptedGateway()) {
      list(gateway, 121, "", "settings", "-o", "name");

      assertThat(gateway.stderr())
          .isEqualTo("watchgate: stale: the apiserver last confirmed this state 121 s ago\n");
    }
  }

  @Test
  void list_recentOrQuietType_reportsNothing() {
    try (ScriptedGateway gateway = new ScriptedGateway()) {
      list(gateway, 119, "", "settings", "-o", "name");
      list(gateway, 3, AWAY, "settings", "-o", "name");
      list(gateway, 30, AWAY, "others", "-o", "name");
      list(gateway, 899, "", "events", "-o", "name");
      list(gateway, 899, "", "ev", "-o", "name");

      assertThat(gateway.stderr()).isEmpty();
    }
  }

  @Test
  void list_json_hasAgeAndReasonInAnnotations() {
    try (ScriptedGateway gateway = new ScriptedGateway()) {
      list(gateway, 24, AWAY, "settings", "-o", "json");

      assertThat(gateway.stdout())
          .endsWith(
              "\n],\"metadata\":{\"resourceVersion\":\"10\",\"annotations\":{"
                  + "\"watchgate.io/staleness\":\"24.250s\",\"watchgate.io/upstream-error\":\""
                  + AWAY
                  + "\"}}}\n");
    }
  }

  @Test
  void list_reviewUnavailable_isReportedAsReason() {
    try (ScriptedGateway gateway = new ScriptedGateway()) {
      gateway.pages.add(
          ListObjectsResponse.newBuilder()
              .setStaleness(com.google.protobuf.Duration.newBuilder().setSeconds(40))
              .setNextPageToken(ByteString.EMPTY)
              .build());
      gateway.typesRefusal =
          ScriptedGateway.refusal(Code.UNAVAILABLE, "UPSTREAM_UNAVAILABLE", "RESUME", "", AWAY);

      assertThat(gateway.run("list", "settings", "-o", "name")).isZero();
      assertThat(gateway.stderr()).contains("40 s ago; the gateway cannot ask it now: " + AWAY);
    }
  }

  @Test
  void watch_oldBookmarks_reportedOnceAndOnRecovery() {
    WatchSession session = events();
    session.onUpdate(bookmark(11, Duration.ofSeconds(125)));
    awaitStderr("watchgate: stale: the apiserver last confirmed this state 125 s ago\n");

    session.onUpdate(bookmark(11, Duration.ofSeconds(130)));
    session.onUpdate(bookmark(11, Duration.ofSeconds(160)));
    session.onUpdate(bookmark(11, Duration.ofSeconds(61)));
    session.onUpdate(bookmark(12, Duration.ofSeconds(4)));
    awaitStderr("watchgate: no longer stale: the apiserver confirmed the state 4 s ago\n");

    session.onUpdate(bookmark(12, Duration.ofSeconds(121)));
    awaitStderr("watchgate: stale: the apiserver last confirmed this state 121 s ago\n");
    assertThat(stdout()).isEmpty();
  }

  @Test
  void watch_apiserverUnreachable_reportedAfterAMinute() {
    upstreamTrouble = AWAY;
    WatchSession session = events();
    session.onUpdate(bookmark(11, Duration.ofSeconds(61)));

    awaitStderr(
        "watchgate: stale: the apiserver last confirmed this state 61 s ago; the gateway cannot"
            + " ask it now: "
            + AWAY
            + "\n");
  }

  @Test
  void watch_snapshotOfDisconnectedGateway_isReported() {
    upstreamTrouble = AWAY;
    WatchSession session = events();
    session.onUpdate(
        new WatchUpdate.SnapshotBegun(SnapshotReason.SNAPSHOT_REASON_REQUESTED, 0, "h"));
    session.onUpdate(new WatchUpdate.SnapshotComplete(at(10), 0, Duration.ofSeconds(20)));

    awaitStderrContaining("20 s ago", AWAY);
  }

  @Test
  void watch_confirmedAfterOlderAge_reportsRecovery() {
    upstreamTrouble = AWAY;
    WatchSession session = events();
    session.onUpdate(
        new WatchUpdate.SnapshotBegun(SnapshotReason.SNAPSHOT_REASON_REQUESTED, 0, "h"));
    session.onUpdate(new WatchUpdate.SnapshotComplete(at(10), 0, Duration.ofSeconds(20)));
    awaitStderrContaining("20 s ago", AWAY);

    session.onUpdate(bookmark(10, Duration.ofSeconds(50)));
    assertThat(stderr()).doesNotContain("no longer");
    session.onUpdate(bookmark(11, Duration.ofSeconds(25)));
    assertThat(stderr())
        .endsWith("watchgate: no longer stale: the apiserver confirmed the state 25 s ago\n");
  }

  @Test
  void bookmark_withoutPosition_hasNoAge() {
    assertThat(
            new WatchUpdate.Bookmark(
                    Optional.empty(), Optional.of(CLOCK.instant()), Optional.of(CLOCK.instant()))
                .age())
        .isEmpty();
  }
}
