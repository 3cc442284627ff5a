package io.watchgate.grpc;

import static io.watchgate.grpc.ServerFixture.CONFIG_MAPS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.grpc.Channel;
import io.watchgate.cache.SampleObject;
import io.watchgate.ops.pages.DebugPage;
import io.watchgate.ops.pages.DebugPages;
import io.watchgate.ops.pages.ObjectAccess;
import io.watchgate.ops.pages.PageException;
import io.watchgate.ops.pages.StreamsPage;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the trace of a call in the audit log and on the page of streams. */
final class TracedCallTest {
  private static final String TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  private final ServerFixture fixture = new ServerFixture(SampleObject.of("ns", "first", 50));
  private final DebugPage page =
      new StreamsPage(fixture.server::streamLoops, fixture.context.access().endedStreams()).page();

  @AfterEach
  void close() {
    fixture.close();
  }

  private Channel traced(String... values) {
    return ServerFixture.with(fixture.connect(), "traceparent", values);
  }

  private List<String> rows(String query) {
    try {
      return DebugPages.content(page, page.path(), query, ObjectAccess.ALL)
          .getAsJsonArray("streams")
          .asList()
          .stream()
          .map(row -> row.getAsJsonObject().get("traceparent").getAsString())
          .toList();
    } catch (PageException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private List<JsonObject> audited(String event) {
    return fixture.audited.stream()
        .map(line -> JsonParser.parseString(line).getAsJsonObject())
        .filter(line -> line.get("event").getAsString().equals(event))
        .toList();
  }

  private static String traceOf(JsonObject line) {
    return line.has("traceparent") ? line.get("traceparent").getAsString() : "";
  }

  @Test
  void stream_isFoundByItsTrace_whileItIsOpenAndAfterItsEnd() {
    RawStream stream = RawStream.open(traced(TRACE), CONFIG_MAPS);
    await().until(stream::isSynced);
    assertThat(rows("")).containsExactly(TRACE);

    stream.cancel();

    await().until(() -> rows("state=ended").equals(List.of(TRACE)));
    await().until(() -> !audited("ended").isEmpty());
    assertThat(traceOf(audited("opened").getFirst())).isEqualTo(TRACE);
    assertThat(traceOf(audited("ended").getFirst())).isEqualTo(TRACE);
  }

  @Test
  void refusedStreamAndList_haveTheirTrace() {
    ListAndWatchRequest.Builder wrong = CONFIG_MAPS.toBuilder();
    wrong.getSelectionBuilder().setLabelSelector("a in (");
    RawStream.open(traced(TRACE), wrong.build());
    await().until(() -> rows("state=refused").equals(List.of(TRACE)));
    var _ =
        WatchServiceGrpc.newBlockingStub(traced(TRACE))
            .listObjects(
                ListObjectsRequest.newBuilder().setSelection(CONFIG_MAPS.getSelection()).build());

    await().until(() -> !audited("denied").isEmpty());
    assertThat(traceOf(audited("denied").getFirst())).isEqualTo(TRACE);
    assertThat(traceOf(audited("listed").getFirst())).isEqualTo(TRACE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "00-1-2-01", "<script>", TRACE + "-more"})
  void invalidTrace_isNone(String value) {
    RawStream stream = RawStream.open(traced(value), CONFIG_MAPS);
    await().until(stream::isSynced);

    assertThat(rows("")).containsExactly("");
    assertThat(audited("opened").getFirst().has("traceparent")).isFalse();
  }

  @Test
  void severalTraces_areNone() {
    RawStream stream = RawStream.open(traced(TRACE, TRACE), CONFIG_MAPS);
    await().until(stream::isSynced);

    assertThat(rows("")).containsExactly("");
  }
}
