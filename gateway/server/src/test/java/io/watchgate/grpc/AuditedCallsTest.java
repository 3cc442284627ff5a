package io.watchgate.grpc;

import static io.watchgate.grpc.ServerFixture.CONFIG_MAPS;
import static io.watchgate.grpc.ServerFixture.withToken;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import io.watchgate.auth.AuthSettings;
import io.watchgate.auth.Callers;
import io.watchgate.auth.ScriptedReviewers;
import io.watchgate.cache.SampleObject;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.IOException;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Audit lines of calls over gRPC, and client texts that try to imitate other lines. */
@Tag("slow")
final class AuditedCallsTest {
  private static final String TOKEN = "t0ken-which-n0body-may-read";

  private final ScriptedReviewers apiserver = new ScriptedReviewers();
  private final ServerFixture fixture =
      ServerFixture.withAccessControl(
          Callers.settings(AuthSettings.Quotas.DEFAULTS),
          apiserver,
          SampleObject.of("ns", "a", 50),
          SampleObject.of("ns", "b", 60));
  private final Channel channel = fixture.connect();

  @AfterEach
  void close() {
    fixture.close();
  }

  private Channel jane() {
    apiserver.knows(TOKEN, "jane");
    return withToken(channel, TOKEN);
  }

  private static JsonNode parsed(String line) {
    for (String never : new String[] {TOKEN, "\n", "\r", "\u2028", "\u2029"}) {
      assertThat(line.contains(never)).isFalse();
    }
    try {
      StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(line));
      return new ObjectMapper().readTree(line);
    } catch (CharacterCodingException e) {
      throw new AssertionError("cannot be written in UTF-8", e);
    } catch (IOException e) {
      throw new AssertionError(line, e);
    }
  }

  private List<JsonNode> lines(int count) {
    await().until(() -> fixture.audited.size() >= count);
    List<JsonNode> lines = fixture.audited.stream().map(AuditedCallsTest::parsed).toList();
    assertThat(lines).hasSize(count);
    return lines;
  }

  private static List<String> events(List<JsonNode> lines) {
    return lines.stream()
        .map(line -> line.get("event").asText() + " " + line.path("reason").asText())
        .map(String::strip)
        .toList();
  }

  @Test
  void stream_isAuditedWhenOpenedAndEnded() {
    ListAndWatchRequest request =
        CONFIG_MAPS.toBuilder()
            .setClientName("a client")
            .setSelection(
                CONFIG_MAPS.getSelection().toBuilder()
                    .addNamespaces("ns")
                    .setLabelSelector("!app")
                    .setFieldSelector("metadata.name=a"))
            .build();
    RawStream stream = RawStream.open(jane(), request);
    await().until(stream::isSynced);
    JsonNode opened = lines(1).getFirst();
    stream.cancel();
    JsonNode ended = lines(2).getLast();

    assertThat(events(List.of(opened, ended))).containsExactly("opened", "ended client");
    for (JsonNode line : List.of(opened, ended)) {
      assertThat(Instant.parse(line.get("time").asText())).isBefore(Instant.now().plusSeconds(1));
      assertThat(line.get("stream").asText()).startsWith("a server-");
      assertThat(line.get("user").asText()).isEqualTo("jane");
      assertThat(line.get("groups").toString()).isEqualTo("[\"system:authenticated\"]");
      assertThat(line.get("address").asText()).isEqualTo("127.0.0.1");
      assertThat(line.get("port").asInt()).isPositive();
      assertThat(line.get("client").asText()).isEqualTo("a client");
      assertThat(line.get("resource").asText()).isEqualTo("configmaps");
      assertThat(line.get("namespaces").toString()).isEqualTo("[\"ns\"]");
      assertThat(line.get("labelSelector").asText()).isEqualTo("!app");
      assertThat(line.get("fieldSelector").asText()).isEqualTo("metadata.name=a");
    }
    assertThat(opened.has("seconds")).isFalse();
    assertThat(opened.get("verb").asText()).isEqualTo("watch");
    assertThat(ended.get("bytes").asLong())
        .isEqualTo(stream.bytes().stream().mapToLong(response -> response.length).sum())
        .isPositive();
    assertThat(ended.get("seconds").asDouble()).isBetween(0.0, 60.0);
  }

  @Test
  void refusedStream_isAuditedWithReasonAndUser() {
    RawStream.open(channel, CONFIG_MAPS).end();
    RawStream.open(withToken(channel, TOKEN), CONFIG_MAPS).end();
    apiserver.allows((identity, access) -> false);
    apiserver.knows("other", "joe");
    RawStream.open(withToken(channel, "other"), CONFIG_MAPS).end();

    List<JsonNode> lines = lines(3);
    assertThat(events(lines))
        .containsExactly(
            "denied CREDENTIALS_INVALID", "denied CREDENTIALS_INVALID", "denied ACCESS_DENIED");
    assertThat(lines).extracting(line -> line.path("user").asText()).containsExactly("", "", "joe");
    assertThat(lines)
        .extracting(line -> line.path("credentials").asText())
        .containsExactly("none", "token", "");
    assertThat(lines).allMatch(line -> line.get("resource").asText().equals("configmaps"));
  }

  @Test
  void list_eachPageIsAudited() {
    WatchServiceGrpc.WatchServiceBlockingStub stub = WatchServiceGrpc.newBlockingStub(jane());
    ListObjectsRequest request =
        ListObjectsRequest.newBuilder()
            .setSelection(CONFIG_MAPS.getSelection())
            .setPageSize(1)
            .build();
    ListObjectsResponse first = stub.listObjects(request);
    stub.listObjects(request.toBuilder().setPageToken(first.getNextPageToken()).build());

    List<JsonNode> lines = lines(2);
    assertThat(events(lines)).containsExactly("listed", "listed");
    assertThat(lines).allMatch(line -> line.get("verb").asText().equals("list"));
    assertThat(lines).allMatch(line -> line.get("user").asText().equals("jane"));
  }

  @Test
  void refusedList_isAuditedLikeAStream() {
    ListObjectsRequest request =
        ListObjectsRequest.newBuilder().setSelection(CONFIG_MAPS.getSelection()).build();
    refused(channel, request);
    apiserver.allows((identity, access) -> false);
    refused(jane(), request);

    List<JsonNode> lines = lines(2);
    assertThat(events(lines)).containsExactly("denied CREDENTIALS_INVALID", "denied ACCESS_DENIED");
    assertThat(lines).extracting(line -> line.path("user").asText()).containsExactly("", "jane");
    assertThat(lines.getFirst().path("credentials").asText()).isEqualTo("none");
  }

  private static void refused(Channel by, ListObjectsRequest request) {
    try {
      WatchServiceGrpc.newBlockingStub(by).listObjects(request);
      throw new AssertionError("let in");
    } catch (StatusRuntimeException e) {
      assertThat(e.getStatus().isOk()).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\",\"event\":\"opened\",\"user\":\"root",
        "a\nb\r\nc\u2028d\u2029e\u0085f\u0000g\u001b[31mh\u007fi\ud83d\ude00j\\",
        "</script><!--",
      })
  void clientText_isOneValueOfOneLine(String hostile) {
    ListAndWatchRequest request =
        CONFIG_MAPS.toBuilder()
            .setClientName(hostile)
            .setSelection(
                Selection.newBuilder()
                    .setResourceType(CONFIG_MAPS.getSelection().getResourceType())
                    .addNamespaces(hostile)
                    .setLabelSelector(hostile)
                    .setFieldSelector(hostile))
            .build();
    RawStream.open(jane(), request).end();

    JsonNode line = lines(1).getFirst();
    assertThat(line.get("event").asText()).isEqualTo("denied");
    assertThat(line.get("user").asText()).isEqualTo("jane");
    assertThat(line.get("client").asText()).isEqualTo(hostile);
    assertThat(line.get("namespaces").get(0).asText()).isEqualTo(hostile);
    assertThat(line.get("labelSelector").asText()).isEqualTo(hostile);
    assertThat(line.get("fieldSelector").asText()).isEqualTo(hostile);
  }

  /** Half of a surrogate pair is not valid text, and cannot be encoded in UTF-8. */
  @Test
  void longText_isCutBetweenCharacters() {
    for (int length = 1_020; length < 1_028; length++) {
      ListAndWatchRequest.Builder request = CONFIG_MAPS.toBuilder();
      request.getSelectionBuilder().setLabelSelector("x".repeat(length) + "\ud83d\ude00".repeat(3));
      RawStream.open(jane(), request.build()).end();
    }

    assertThat(lines(8))
        .allSatisfy(
            line ->
                assertThat(line.get("labelSelector").asText())
                    .startsWith("x".repeat(1_020))
                    .hasSizeLessThanOrEqualTo(1_025));
  }
}
