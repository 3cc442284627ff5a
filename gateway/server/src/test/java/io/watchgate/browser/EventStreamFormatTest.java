package io.watchgate.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import io.grpc.Metadata;
import io.grpc.Status;
import io.watchgate.grpc.CallStatus;
import io.watchgate.proto.v1.BodyOmitted;
import io.watchgate.proto.v1.Bookmark;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.GoingAway;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ListAndWatchResponse.SignalCase;
import io.watchgate.proto.v1.NetEffectStarted;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.Resumed;
import io.watchgate.proto.v1.SnapshotStarted;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.proto.v1.Synced;
import io.watchgate.proto.v1.WatchEvent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EventStreamFormatTest {
  /** Base64url of it has both characters that base64 has not: {@code -} and {@code _}. */
  private static final ByteString TOKEN = ByteString.copyFrom(new byte[] {-5, -16, -1, -1});

  private static final String ID = "id: -_D__w\n";

  private static WatchEvent event(EventType type, String object) {
    return WatchEvent.newBuilder().setType(type).setObject(ByteString.copyFromUtf8(object)).build();
  }

  private static String text(ListAndWatchResponse.Builder response) {
    return StandardCharsets.UTF_8.decode(EventStreamFormat.response(response.build())).toString();
  }

  @Test
  void token_isIdOfTheLastEvent() {
    ListAndWatchResponse.Builder changes =
        ListAndWatchResponse.newBuilder()
            .addEvents(event(EventType.EVENT_TYPE_DELETED, "{\"a\":1}"))
            .addEvents(event(EventType.EVENT_TYPE_ADDED, "{\"a\":2}"))
            .setResumeToken(TOKEN);
    assertThat(text(changes.clone()))
        .isEqualTo(
            "event: deleted\ndata: {\"type\":\"DELETED\",\"object\":{\"a\":1}}\n\n"
                + ID
                + "event: added\ndata: {\"type\":\"ADDED\",\"object\":{\"a\":2}}\n\n");
    assertThat(text(changes.clone().setSynced(Synced.newBuilder().setObjects(2))))
        .endsWith("\n\n" + ID + "event: synced\ndata: {\"objects\":2,\"stalenessSeconds\":0}\n\n")
        .containsOnlyOnce("id:");
    assertThat(text(changes.clone().clearResumeToken())).doesNotContain("id:");
  }

  @Test
  void tokenAlone_isAnIdWithoutEvent() {
    assertThat(text(ListAndWatchResponse.newBuilder().setResumeToken(TOKEN))).isEqualTo(ID + "\n");
    assertThat(text(ListAndWatchResponse.newBuilder())).isEmpty();
  }

  @Test
  void lineEndsInAnObject_doNotEndTheEvent() {
    String object = "{\r\n \"text\": \"two\\nlines\u2028\",\n\n\"a\":\r1}";
    String text =
        text(
            ListAndWatchResponse.newBuilder()
                .addEvents(event(EventType.EVENT_TYPE_MODIFIED, object)));
    assertThat(text.lines().filter(line -> !line.isEmpty())).hasSize(2);
    String data = text.substring(text.indexOf("data: ") + "data: ".length());
    assertThat(JsonParser.parseString(data).getAsJsonObject().get("object"))
        .isEqualTo(JsonParser.parseString(object));
  }

  @Test
  void objectWithoutBody_hasWhatIdentifiesIt() {
    WatchEvent large =
        WatchEvent.newBuilder()
            .setType(EventType.EVENT_TYPE_ADDED)
            .setKey(ObjectKey.newBuilder().setNamespace("shop").setName("\"<a>\"").setUid("u"))
            .setResourceVersion("7")
            .setOmitted(BodyOmitted.newBuilder().setSize(9_000_000))
            .build();
    assertThat(JsonParser.parseString(WatchEventJson.of(large).toStringUtf8()))
        .isEqualTo(
            JsonParser.parseString(
                """
                {"type":"ADDED","object":{"metadata":{"name":"\\"<a>\\"","namespace":"shop",
                 "uid":"u","resourceVersion":"7"}},"omittedBytes":9000000}
                """));
  }

  @Test
  void eachSignal_isAnEvent() {
    List<ListAndWatchResponse> signals =
        List.of(
            signal().setOpened(StreamOpened.newBuilder().setStreamId("s-1")).build(),
            signal().setResumed(Resumed.getDefaultInstance()).build(),
            signal().setSnapshotStarted(SnapshotStarted.getDefaultInstance()).build(),
            signal().setSynced(Synced.getDefaultInstance()).build(),
            signal().setNetEffectStarted(NetEffectStarted.getDefaultInstance()).build(),
            signal().setBookmark(Bookmark.getDefaultInstance()).build(),
            signal().setGoingAway(GoingAway.getDefaultInstance()).build());
    assertThat(signals)
        .extracting(ListAndWatchResponse::getSignalCase)
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(SignalCase.values())
                .filter(each -> each != SignalCase.SIGNAL_NOT_SET)
                .toList());
    assertThat(signals)
        .allSatisfy(
            signal ->
                assertThat(text(signal.toBuilder()))
                    .contains(
                        "event: "
                            + signal
                                .getSignalCase()
                                .name()
                                .toLowerCase(java.util.Locale.ROOT)
                                .replace('_', '-')
                            + "\n")
                    .contains("data: {\"resourceVersion\":\"7\"")
                    .endsWith("}\n\n"));
  }

  private static ListAndWatchResponse.Builder signal() {
    return ListAndWatchResponse.newBuilder().setResourceVersion("7");
  }

  private static String problem(CallStatus.Action action, Duration retryAfter) {
    CallStatus ending =
        new CallStatus(
            Status.UNAVAILABLE, new Metadata(), "A_REASON", action, "two\nlines", "", retryAfter);
    return StandardCharsets.UTF_8.decode(EventStreamFormat.problem(ending)).toString();
  }

  @Test
  void problem_keepsTheIdUnlessTheClientMustRestart() {
    assertThat(problem(CallStatus.Action.RESUME, Duration.ofSeconds(5)))
        .doesNotContain("id:")
        .containsPattern("retry: (5[5-9]|6\\d)\\d\\d\n")
        .endsWith(
            "event: problem\n"
                + "data: {\"reason\":\"A_REASON\",\"action\":\"RESUME\",\"message\":\"two\\n"
                + "lines\"}\n\n");
    assertThat(problem(CallStatus.Action.RESTART, Duration.ZERO))
        .startsWith("id:\n")
        .containsPattern("retry: (1?[5-9]\\d\\d|1\\d\\d\\d)\n");
  }
}
