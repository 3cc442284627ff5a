package io.watchgate.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.program.RunningProgram;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.WatchEvent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of a client with streams that a gateway sends rarely. */
interface ScriptedGatewayCases extends SnapshotAgainCase, TlsAndTokenCase {
  @Test
  default void restartAction_startsWithoutTokenAndFindsDeletions() throws Exception {
    Script first =
        Script.opened()
            .snapshot("t1", added("kept", 1), added("changed", 1), added("gone", 1))
            .refused(Status.Code.OUT_OF_RANGE, "HISTORY_LOST", "RESTART", Duration.ZERO);
    Script second = Script.opened().snapshot("t2", added("kept", 1), added("changed", 2));
    try (ScriptedGateway gateway = new ScriptedGateway(first, second);
        WatchProgram watch = WatchProgram.start(client(), gateway.port())) {
      assertThat(gateway.awaitTokens(2)).containsExactly("", "");
      watch.awaitStory(
          story ->
              assertThat(story.subList(3, story.size()))
                  .containsExactly(
                      "SYNCED",
                      "ERROR OUT_OF_RANGE",
                      "DELETED shop/gone",
                      "MODIFIED shop/changed",
                      "SYNCED"));
      assertThat(watch.last("ERROR"))
          .isEqualTo(
              Json.parse(
                  """
                  {"status": "OUT_OF_RANGE", "reason": "HISTORY_LOST",
                   "message": "refused: HISTORY_LOST", "action": "RESTART"}
                  """));
    }
  }

  @Test
  default void recreatedObject_isDifferentObject() throws Exception {
    Script first = Script.opened().snapshot("t1", added("web", 1)).broken(Status.Code.UNAVAILABLE);
    WatchEvent anew =
        event(EventType.EVENT_TYPE_ADDED, "web", 2).toBuilder()
            .setKey(ObjectKey.newBuilder().setNamespace("shop").setName("web").setUid("another"))
            .build();
    try (ScriptedGateway gateway =
            new ScriptedGateway(first, Script.opened().snapshot("t2", anew));
        WatchProgram watch = WatchProgram.start(client(), gateway.port())) {
      watch.awaitStory(
          story ->
              assertThat(story)
                  .containsExactly(
                      "ADDED shop/web",
                      "SYNCED",
                      "ERROR UNAVAILABLE",
                      "DELETED shop/web",
                      "ADDED shop/web",
                      "SYNCED"));
    }
  }

  @Test
  default void interruptedSnapshot_isDropped() throws Exception {
    Script first =
        Script.opened()
            .snapshot("t1", added("kept", 1))
            .halfSnapshot(added("never", 1))
            .broken(Status.Code.UNAVAILABLE);
    Script second = Script.opened().resumed("t1").change("t2", modified("kept", 2));
    try (ScriptedGateway gateway = new ScriptedGateway(first, second);
        WatchProgram watch = WatchProgram.start(client(), gateway.port())) {
      watch.awaitStory(
          story ->
              assertThat(story)
                  .containsExactly(
                      "ADDED shop/kept",
                      "SYNCED",
                      "ERROR UNAVAILABLE",
                      "RESUMED",
                      "MODIFIED shop/kept"));
      assertThat(gateway.awaitTokens(2)).containsExactly("", "t1");
    }
  }

  @Test
  default void netEffect_isAppliedAtomically() throws Exception {
    Script first =
        Script.opened()
            .snapshot("t1", added("web", 1))
            .halfNetEffect(modified("web", 2))
            .change("t2", modified("web", 3))
            .halfNetEffect(modified("web", 4))
            .broken(Status.Code.INTERNAL);
    try (ScriptedGateway gateway = new ScriptedGateway(first, Script.opened().resumed("t2"));
        WatchProgram watch = WatchProgram.start(client(), gateway.port())) {
      watch.awaitStory(
          story ->
              assertThat(story)
                  .containsExactly(
                      "ADDED shop/web",
                      "SYNCED",
                      "MODIFIED shop/web",
                      "MODIFIED shop/web",
                      "ERROR INTERNAL",
                      "RESUMED"));
      assertThat(watch.last("MODIFIED").at("/data/value").intValue()).isEqualTo(3);
      assertThat(gateway.awaitTokens(2)).containsExactly("", "t2");
    }
  }

  @Test
  default void goingAway_resumesWithLastToken() throws Exception {
    Script first =
        Script.opened().snapshot("t1", added("web", 1)).goingAway("t2", Duration.ofMillis(200));
    try (ScriptedGateway gateway = new ScriptedGateway(first, Script.opened().resumed("t2"));
        WatchProgram watch = WatchProgram.start(client(), gateway.port())) {
      assertThat(gateway.awaitTokens(2)).containsExactly("", "t2");
      watch.awaitStory(
          story -> assertThat(story).containsExactly("ADDED shop/web", "SYNCED", "RESUMED"));
    }
  }

  @Test
  default void threeSilentIntervals_openNextStream() throws Exception {
    Script first = Script.opened(Duration.ofMillis(300)).snapshot("t1", added("web", 1));
    try (ScriptedGateway gateway = new ScriptedGateway(first);
        WatchProgram watch = WatchProgram.start(client(), gateway.port())) {
      assertThat(gateway.awaitTokens(3)).containsExactly("", "t1", "t1");
      assertThat(watch.story()).contains("ERROR DEADLINE_EXCEEDED");
      assertThat(watch.last("ERROR").get("action").textValue()).isEqualTo("RESUME");
    }
  }

  @ParameterizedTest
  @CsvSource({"UNAVAILABLE, STARTING", "RESOURCE_EXHAUSTED, QUOTA"})
  default void retryInfo_isRespected(Status.Code code, String reason) throws Exception {
    Duration asked = Duration.ofMillis(1500);
    Script first = Script.opened().refused(code, reason, "RESUME", asked);
    try (ScriptedGateway gateway = new ScriptedGateway(first);
        WatchProgram watch = WatchProgram.start(client(), gateway.port())) {
      gateway.awaitTokens(2);
      List<ScriptedGateway.Asked> requests = gateway.asked();
      assertThat(Duration.ofNanos(requests.get(1).nanoTime() - requests.get(0).nanoTime()))
          .isGreaterThanOrEqualTo(asked);
      assertThat(watch.story()).containsExactly("ERROR " + code);
    }
  }

  @ParameterizedTest
  @EnumSource(names = "OK", mode = EnumSource.Mode.EXCLUDE)
  default void errorWithoutReason_isResumed(Status.Code code) throws Exception {
    Script first = Script.opened().snapshot("t1", added("web", 1)).broken(code);
    try (ScriptedGateway gateway = new ScriptedGateway(first);
        WatchProgram watch =
            WatchProgram.start(client(), gateway.port(), "--first-answer-timeout", "0")) {
      assertThat(gateway.awaitTokens(2)).containsExactly("", "t1");
      assertThat(watch.story()).containsExactly("ADDED shop/web", "SYNCED", "ERROR " + code);
      assertThat(watch.last("ERROR").get("action").textValue()).isEqualTo("RESUME");
    }
  }

  @Test
  default void errorWithoutReason_beforeAnyStream_isResumed() throws Exception {
    Script second = Script.opened().snapshot("t1", added("web", 1));
    try (ScriptedGateway gateway =
            new ScriptedGateway(Script.bare(Status.Code.UNIMPLEMENTED), second);
        WatchProgram watch = WatchProgram.start(client(), gateway.port())) {
      watch.awaitStory(
          story ->
              assertThat(story).containsExactly("ERROR UNIMPLEMENTED", "ADDED shop/web", "SYNCED"));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"UNIMPLEMENTED", "UNAUTHENTICATED", "PERMISSION_DENIED", "NOT_FOUND"})
  default void errorsWithoutReason_withoutGatewayAnswer_endClient(Status.Code code)
      throws Exception {
    Script[] refusals = Stream.generate(() -> Script.bare(code)).limit(8).toArray(Script[]::new);
    try (ScriptedGateway gateway = new ScriptedGateway(refusals);
        WatchProgram watch =
            WatchProgram.start(client(), gateway.port(), "--first-answer-timeout", "1")) {
      assertThat(watch.program().end()).isEqualTo(1);
      assertThat(watch.story()).hasSizeGreaterThan(1).containsOnly("ERROR " + code);
      assertThat(watch.program().err())
          .singleElement()
          .asString()
          .contains("no Watchgate has answered", code + ", broken", "Check host and port");
    }
  }

  @Test
  default void okEnd_isResumed() throws Exception {
    Script[] ends = Stream.generate(Script::endedWithOk).limit(3).toArray(Script[]::new);
    try (ScriptedGateway gateway = new ScriptedGateway(ends);
        WatchProgram watch = WatchProgram.start(client(), gateway.port())) {
      gateway.awaitTokens(4);
      assertThat(watch.story()).hasSize(3).containsOnly("ERROR UNKNOWN");
      assertThat(watch.last("ERROR").get("action").textValue()).isEqualTo("RESUME");
    }
  }

  @Test
  default void okEnds_withoutGatewayAnswer_endClient() throws Exception {
    Script[] ends = Stream.generate(Script::endedWithOk).limit(8).toArray(Script[]::new);
    try (ScriptedGateway gateway = new ScriptedGateway(ends);
        WatchProgram watch =
            WatchProgram.start(client(), gateway.port(), "--first-answer-timeout", "1")) {
      assertThat(watch.program().end()).isEqualTo(1);
      assertThat(watch.story()).hasSizeGreaterThan(1).containsOnly("ERROR UNKNOWN");
      assertThat(watch.program().err())
          .singleElement()
          .asString()
          .contains("no Watchgate has answered", "UNKNOWN", "Check host and port");
    }
  }

  @Test
  default void missingDetails_useTrailers() throws Exception {
    try (ScriptedGateway gateway =
            new ScriptedGateway(
                Script.bareReason(Status.Code.PERMISSION_DENIED, "ACCESS_DENIED", "STOP"));
        WatchProgram watch = WatchProgram.start(client(), gateway.port())) {
      assertThat(watch.program().end()).isEqualTo(1);
      assertThat(watch.story()).containsExactly("ERROR PERMISSION_DENIED");
    }
  }

  /** The setup of a port-forward to a gateway in a cluster. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  default void emptyTokenFile_sendsNothingAndIsReadAgain(boolean exists, @TempDir Path folder)
      throws Exception {
    Path token = folder.resolve("token");
    if (exists) {
      Files.writeString(token, "\n");
    }
    try (ScriptedGateway gateway =
            new ScriptedGateway(Script.opened().snapshot("t1", added("web", 1)));
        WatchProgram watch =
            WatchProgram.start(client(), gateway.port(), "--bearer-token-file", token.toString())) {
      watch.awaitStory(story -> assertThat(story).isNotEmpty());
      assertThat(watch.last("ERROR").get("message").textValue())
          .contains("there is no token to send", token.toString());
      Files.writeString(token, "first\n");
      watch.awaitStory(story -> assertThat(story).endsWith("SYNCED"));

      assertThat(watch.story())
          .startsWith("ERROR UNAVAILABLE")
          .containsOnly("ERROR UNAVAILABLE", "ADDED shop/web", "SYNCED");
      assertThat(gateway.authorizations()).containsExactly("Bearer first");
    }
  }

  @Test
  default void output_keepsLargeNumbersAndEscapesControlCharacters() throws Exception {
    String text = "\\u001b[31m\u009b2J\u007f\u2028\u00fc\ud83d\ude00";
    String object = "{\"data\":{\"number\":9007199254740993,\"text\":\"" + text + "\"}}";
    WatchEvent event =
        event(EventType.EVENT_TYPE_ADDED, "web", 1).toBuilder()
            .setObject(ByteString.copyFromUtf8(object))
            .build();
    try (ScriptedGateway gateway = new ScriptedGateway(Script.opened().snapshot("t1", event));
        WatchProgram watch = WatchProgram.start(client(), gateway.port())) {
      watch.awaitStory(story -> assertThat(story).containsExactly("ADDED shop/web", "SYNCED"));
      assertThat(watch.program().out()).allMatch(line -> line.matches("[ -~]+"));
      assertThat(watch.last("ADDED")).isEqualTo(Json.parse(object));
    }
  }

  @Test
  default void closedStdout_endsSilently() throws Exception {
    try (ScriptedGateway gateway =
            new ScriptedGateway(Script.opened().snapshot("t1", added("web", 1)));
        WatchProgram watch = WatchProgram.start(client(), gateway.port())) {
      watch.awaitStory(story -> assertThat(story).endsWith("SYNCED"));
      watch.program().breakPipe();
      await()
          .until(
              () -> {
                gateway.goOn(Script.opened().change("t2", modified("web", 2)));
                return !watch.program().isAlive();
              });
      watch.program().end();
      assertThat(watch.program().err()).isEmpty();
    }
  }

  @Test
  default void unwritableTokenFile_isReportedInOneLine(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("no-such-folder").resolve("token");
    try (ScriptedGateway gateway =
            new ScriptedGateway(Script.opened().snapshot("t1", added("web", 1)));
        WatchProgram watch =
            WatchProgram.start(client(), gateway.port(), "--position-file", file.toString())) {
      watch.awaitStory(story -> assertThat(story).endsWith("SYNCED"));
      assertThat(watch.program().stop()).isEqualTo(1);
      assertThat(watch.program().err()).singleElement().asString().contains(file.toString());
    }
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  default void unknownFlag_isNamed() throws Exception {
    try (RunningProgram watch = client().and("pods", "--frobnicate").start()) {
      assertThat(watch.end()).isEqualTo(2);
      assertThat(watch.err())
          .anyMatch(line -> line.contains("frobnicate"))
          .anyMatch(line -> line.startsWith("usage: "))
          .noneMatch(line -> line.contains("Traceback") || line.startsWith("    at "));
      assertThat(watch.out()).isEmpty();
    }
  }

  static WatchEvent added(String name, int value) {
    return event(EventType.EVENT_TYPE_ADDED, name, value);
  }

  private static WatchEvent modified(String name, int value) {
    return event(EventType.EVENT_TYPE_MODIFIED, name, value);
  }

  private static WatchEvent event(EventType type, String name, int value) {
    return WatchEvent.newBuilder()
        .setType(type)
        .setKey(ObjectKey.newBuilder().setNamespace("shop").setName(name).setUid("uid of " + name))
        .setResourceVersion(Integer.toString(value))
        .setObject(ByteString.copyFromUtf8("{\"data\":{\"value\":" + value + "}}"))
        .build();
  }
}
