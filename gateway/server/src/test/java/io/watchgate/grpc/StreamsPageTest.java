package io.watchgate.grpc;

import static io.watchgate.grpc.ServerFixture.CONFIG_MAPS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonObject;
import io.grpc.ManagedChannel;
import io.watchgate.admission.GatewayStreamLimits;
import io.watchgate.cache.SampleObject;
import io.watchgate.ops.pages.DebugPage;
import io.watchgate.ops.pages.DebugPages;
import io.watchgate.ops.pages.ObjectAccess;
import io.watchgate.ops.pages.PageException;
import io.watchgate.ops.pages.StreamsPage;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests of the page of streams, with real streams. */
@Tag("slow")
final class StreamsPageTest {
  private static final GatewayStreamLimits LIMITS = new GatewayStreamLimits(500, 400);

  private final ServerFixture fixture =
      new ServerFixture(LIMITS, SampleObject.of("ns", "first", 50).padding(4_000));

  private final DebugPage page =
      new StreamsPage(fixture.server::streamLoops, fixture.context.access().endedStreams()).page();

  @AfterEach
  void close() {
    fixture.close();
  }

  private JsonObject content(String query) {
    try {
      return DebugPages.content(page, page.path(), query, ObjectAccess.ALL);
    } catch (PageException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private List<JsonObject> rows(String query) {
    return content(query).getAsJsonArray("streams").asList().stream()
        .map(row -> row.getAsJsonObject())
        .toList();
  }

  private static ListAndWatchRequest named(String client) {
    return CONFIG_MAPS.toBuilder().setClientName(client).build();
  }

  private static String text(JsonObject row, String name) {
    return row.get(name).getAsString();
  }

  @Test
  void openStream_isListedWithItsClientAndSelection() {
    ListAndWatchRequest.Builder request = named("reader").toBuilder();
    request.getSelectionBuilder().setLabelSelector("b in (y,x),a").addNamespaces("ns");
    RawStream stream = RawStream.open(fixture.connect(), request.build());
    await().until(stream::isSynced);
    await().until(() -> text(rows("").getFirst(), "phase").equals("live"));

    JsonObject row = rows("").getFirst();

    String id = stream.responses().getFirst().getOpened().getStreamId();
    assertThat(text(row, "stream")).isEqualTo(id);
    assertThat(text(row, "api")).isEqualTo("grpc");
    assertThat(text(row, "client")).isEqualTo("reader");
    assertThat(text(row, "agent")).startsWith("grpc-java-netty/");
    assertThat(text(row, "address")).isEqualTo("127.0.0.1");
    assertThat(text(row, "type")).isEqualTo("configmaps");
    assertThat(row.getAsJsonArray("namespaces")).hasSize(1);
    assertThat(text(row, "labels")).isEqualTo("a,b in (x,y)");
    assertThat(text(row, "position")).isEqualTo(stream.last().getResourceVersion());
    assertThat(row.get("behindEvents").getAsLong()).isZero();
    assertThat(row.get("blocked").getAsBoolean()).isFalse();
    assertThat(row.get("sentBytes").getAsLong())
        .isEqualTo(stream.bytes().stream().mapToLong(bytes -> bytes.length).sum());
    assertThat(Duration.between(Instant.parse(text(row, "opened")), Instant.now()))
        .isBetween(Duration.ZERO, Duration.ofMinutes(1));
  }

  @Test
  void streamThatDoesNotRead_isFirst_withItsLag() {
    RawStream reader = RawStream.open(fixture.connect(), named("reader"));
    await().until(reader::isSynced);
    RawStream stalled = RawStream.begin(fixture.connect(), RawStream.LIST_AND_WATCH);
    stalled.ask(named("stalled").toByteArray());
    stalled.halfClose();
    stalled.demand(1);
    int[] version = {60};
    await()
        .until(
            () -> {
              for (int i = 0; i < 50; i++) {
                fixture.cluster.put(SampleObject.of("ns", "o" + i, version[0]++).padding(8_000));
              }
              return rows("client=stalled").stream()
                  .anyMatch(
                      row ->
                          row.get("behindEvents").getAsLong() > 100
                              && row.get("blocked").getAsBoolean());
            });

    await()
        .untilAsserted(
            () ->
                assertThat(rows("client=reader").getFirst().get("behindEvents").getAsLong())
                    .isZero());
    for (String sort : List.of("behind", "bytes", "seconds")) {
      JsonObject first = rows("sort=" + sort).getFirst();
      assertThat(text(first, "client")).as(sort).isEqualTo("stalled");
      assertThat(first.get("behindBytes").getAsLong()).isPositive();
      assertThat(first.get("behindSeconds").getAsDouble()).isPositive();
      assertThat(Long.parseLong(text(first, "position"))).isLessThan(version[0] - 100);
    }
    assertThat(text(rows("sort=opened").getFirst(), "client")).isEqualTo("reader");
    assertThat(rows("client=reader")).hasSize(1);
    assertThat(rows("client=unknown")).isEmpty();
    assertThat(rows("type=pods")).isEmpty();
    assertThat(rows("type=configmaps")).hasSize(2);
  }

  /** All streams once, by their order, over several event loops and slices. */
  @Test
  void pages_haveEachStreamOnce() {
    List<ManagedChannel> channels = IntStream.range(0, 4).mapToObj(i -> fixture.connect()).toList();
    List<RawStream> streams = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      streams.add(RawStream.open(channels.get(i % channels.size()), named("client " + i)));
    }
    await().until(() -> streams.stream().allMatch(RawStream::isSynced));

    List<String> clients = new ArrayList<>();
    for (int offset = 0; offset < 300; offset += 70) {
      JsonObject content = content("sort=opened&limit=70&offset=" + offset);
      assertThat(content.get("total").getAsInt()).isEqualTo(300);
      content
          .getAsJsonArray("streams")
          .forEach(row -> clients.add(text(row.getAsJsonObject(), "client")));
    }
    assertThat(clients).hasSize(300).doesNotHaveDuplicates();
    assertThat(rows("offset=300")).isEmpty();
  }

  @Test
  void endedAndRefusedStreams_haveTheirReason() {
    ListAndWatchRequest.Builder selecting = named("leaves").toBuilder();
    selecting
        .getSelectionBuilder()
        .setLabelSelector("!b,!a")
        .setFieldSelector("metadata.name!=other")
        .addNamespaces("ns");
    RawStream left = RawStream.open(fixture.connect(), selecting.build());
    await().until(left::isSynced);
    await().until(() -> text(rows("").getFirst(), "phase").equals("live"));
    left.cancel();
    await().until(() -> rows("state=ended").size() == 1);
    JsonObject ended = rows("state=ended").getFirst();
    assertThat(text(ended, "client")).isEqualTo("leaves");
    assertThat(text(ended, "reason")).isEqualTo("client");
    assertThat(text(ended, "type")).isEqualTo("configmaps");
    assertThat(ended.getAsJsonArray("namespaces").toString()).isEqualTo("[\"ns\"]");
    assertThat(text(ended, "labels")).isEqualTo("!a,!b");
    assertThat(text(ended, "fields")).isEqualTo("metadata.name!=other");
    assertThat(text(ended, "phase")).isEqualTo("live");
    assertThat(ended.get("sentBytes").getAsLong()).isGreaterThan(4_000);

    ListAndWatchRequest.Builder wrong = named("wrong").toBuilder();
    wrong.getSelectionBuilder().setLabelSelector("a=(");
    RawStream.open(fixture.connect(), wrong.build()).end();

    JsonObject refused = rows("state=refused").getFirst();
    assertThat(text(refused, "client")).isEqualTo("wrong");
    assertThat(text(refused, "reason")).isEqualTo("SELECTOR_INVALID");
    assertThat(rows("")).isEmpty();
  }

  @Test
  void streamThatTheGatewayEnds_hasTheReasonOfTheContract() throws Exception {
    RawStream stream = RawStream.open(fixture.connect(), named("stays"));
    await().until(stream::isSynced);
    await().until(() -> text(rows("").getFirst(), "phase").equals("live"));

    fixture.server.drain(Duration.ofMinutes(1)); // it returns once they have ended

    stream.end();
    assertThat(rows("state=ended"))
        .singleElement()
        .satisfies(
            row -> {
              assertThat(text(row, "reason")).isEqualTo("DRAINING");
              assertThat(text(row, "phase")).isEqualTo("live");
              assertThat(row.getAsJsonArray("namespaces")).isEmpty();
            });
  }

  @Test
  void wrongParameter_isRefused() {
    assertThatThrownBy(() -> DebugPages.content(page, page.path(), "sort=name", ObjectAccess.ALL))
        .isInstanceOf(PageException.class)
        .hasMessage("sort=name is none of behind, bytes, seconds, sent, opened");
  }
}
