package io.watchgate.kube;

import static io.watchgate.kube.ApiserverStub.JSON;
import static io.watchgate.kube.ApiserverStub.PODS;
import static io.watchgate.kube.ApiserverStub.SETTINGS;
import static io.watchgate.kube.ApiserverStub.TOKEN;
import static io.watchgate.kube.ApiserverStub.WIDGETS;
import static io.watchgate.kube.ApiserverStub.failure;
import static io.watchgate.kube.ApiserverStub.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchgate.cache.Upstream.Content;
import io.watchgate.cache.Upstream.Listed;
import io.watchgate.cache.UpstreamFailure.Expired;
import io.watchgate.cache.UpstreamFailure.Malformed;
import java.util.ArrayList;
import java.util.List;
import mockwebserver3.MockResponse;
import mockwebserver3.RecordedRequest;
import okio.Buffer;
import okio.BufferedSink;
import okio.GzipSink;
import okio.Okio;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the requests of a list, and of valid and invalid answers. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
final class KubeUpstreamListTest {
  @RegisterExtension private final ApiserverStub stub = new ApiserverStub();
  private final Recorder recorder = new Recorder();

  // ---- valid answers

  @Test
  void allPages_areRead() throws Exception {
    stub.answer(ListPage.of("529", "one", 0, 500));
    stub.answer(ListPage.of("529", "two", 500, 1000));
    stub.answer(ListPage.of("529", "", 1000, 1253));
    try (KubeUpstream pods = stub.pods()) {
      assertThat(pods.list(recorder)).isEqualTo(new Listed("529"));
    }
    assertThat(recorder.seen).hasSize(1253).doesNotHaveDuplicates();
    RecordedRequest first = stub.request();
    assertThat(first.getTarget()).isEqualTo("/api/v1/pods?limit=500");
    assertThat(first.getVersion()).isEqualTo("HTTP/2");
    assertThat(first.getHeaders().get("Authorization")).isEqualTo("Bearer " + TOKEN);
    assertThat(first.getHeaders().get("Accept")).isEqualTo("application/json");
    assertThat(first.getHeaders().get("User-Agent")).startsWith("watchgate/");
    assertThat(stub.request().getTarget()).isEqualTo("/api/v1/pods?limit=500&continue=one");
    RecordedRequest last = stub.request();
    assertThat(last.getTarget()).isEqualTo("/api/v1/pods?limit=500&continue=two");
    assertThat(last.getConnectionIndex()).isEqualTo(first.getConnectionIndex());
  }

  @Test
  void builtInItems_getKindAndApiVersion() throws Exception {
    stub.answer(ListPage.of("529", "", 0, 1));
    try (KubeUpstream pods = stub.pods()) {
      assertThat(pods.list(recorder)).isEqualTo(new Listed("529"));
    }
    assertThat(recorder.seen).containsExactly(ListPage.pod(0));
  }

  @Test
  void customResources_areReadUnchanged() throws Exception {
    String item = "{\"apiVersion\":\"x.io/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"a\"}}";
    stub.answer(
        "{\"apiVersion\":\"x.io/v1\",\"items\":["
            + item
            + "],\"kind\":\"WidgetList\",\"metadata\":{\"continue\":\"\",\"resourceVersion\":\"3\"}}\n");
    try (KubeUpstream widgets = stub.upstream(WIDGETS, SETTINGS)) {
      assertThat(widgets.list(recorder)).isEqualTo(new Listed("3"));
    }
    assertThat(recorder.seen).containsExactly(item);
    assertThat(stub.request().getTarget()).isEqualTo("/apis/x.io/v1/widgets?limit=500");
  }

  @Test
  void exactVersion_isRequestedOnFirstPageOnly() throws Exception {
    stub.answer(ListPage.of("529", "a+/=&b", 0, 1));
    stub.answer(ListPage.of("529", "", 1, 2));
    try (KubeUpstream pods = stub.pods()) {
      assertThat(pods.listAt("529", Content.OBJECTS, recorder)).isEqualTo(new Listed("529"));
    }
    assertThat(stub.request().getTarget())
        .isEqualTo("/api/v1/pods?limit=500&resourceVersion=529&resourceVersionMatch=Exact");
    RecordedRequest second = stub.request();
    assertThat(second.getUrl().queryParameter("continue")).isEqualTo("a+/=&b");
    assertThat(second.getUrl().queryParameter("resourceVersion")).isNull();
  }

  @Test
  void emptyPage_doesNotEndTheList() throws Exception {
    stub.answer(ListPage.of("7", "one", 0, 1));
    stub.answer(ListPage.of("7", "two", 0, 0));
    stub.answer(ListPage.of("7", "", 1, 2));
    try (KubeUpstream pods = stub.pods()) {
      assertThat(pods.list(recorder)).isEqualTo(new Listed("7"));
    }
    assertThat(recorder.seen).hasSize(2);
  }

  @Test
  void emptyList_isListed() throws Exception {
    stub.answer("{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[]}\n");
    try (KubeUpstream pods = stub.pods()) {
      assertThat(pods.list(recorder)).isEqualTo(new Listed("7"));
    }
    assertThat(recorder.seen).isEmpty();
  }

  @Test
  void largestEtcdObject_isRead() throws Exception {
    String large = "{\"data\":\"" + "x".repeat(3 << 19) + "\"}";
    stub.answer("{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[{}," + large + ",{}]}");
    try (KubeUpstream pods = stub.pods()) {
      assertThat(pods.list(recorder)).isEqualTo(new Listed("7"));
    }
    assertThat(recorder.seen).hasSize(3);
    assertThat(recorder.seen.get(1)).endsWith(large.substring(1));
  }

  @Test
  void list_mayArriveByteByByte() throws Exception {
    EventStream bytes = new EventStream().send(ListPage.of("529", "", 0, 2).split("")).end();
    stub.answer(bytes);
    try (KubeUpstream pods = stub.pods()) {
      assertThat(pods.list(recorder)).isEqualTo(new Listed("529"));
    }
    assertThat(recorder.seen).containsExactly(ListPage.pod(0), ListPage.pod(1));
  }

  @Test
  void compressedList_isRead() throws Exception {
    Buffer plain = new Buffer().writeUtf8(ListPage.of("9", "", 0, 5000));
    Buffer packed = new Buffer();
    try (GzipSink gzip = new GzipSink(packed)) {
      gzip.write(plain, plain.size());
    }
    answerPacked(packed);
    try (KubeUpstream pods = stub.pods()) {
      assertThat(pods.list(recorder)).isEqualTo(new Listed("9"));
    }
    assertThat(recorder.seen).hasSize(5000);
    assertThat(stub.request().getHeaders().get("Accept-Encoding")).isEqualTo("gzip");
  }

  @Test
  void probe_returnsTheVersion() throws Exception {
    stub.answer(ListPage.of("531", "more", 0, 1));
    try (KubeUpstream pods = stub.pods()) {
      assertThat(pods.probe()).isEqualTo(new Listed("531"));
    }
    assertThat(stub.request().getTarget()).isEqualTo("/api/v1/pods?limit=1");
  }

  @Test
  void sinkException_isRethrown() throws Exception {
    stub.answer(ListPage.of("1", "", 0, 10));
    try (KubeUpstream pods = stub.pods()) {
      assertThatThrownBy(
              () ->
                  pods.list(
                      item -> {
                        throw new IllegalStateException("full");
                      }))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("full");
    }
  }

  // ---- invalid answers

  private void answerPacked(Buffer packed) {
    stub.server.enqueue(
        new MockResponse.Builder().setHeader("Content-Encoding", "gzip").body(packed).build());
  }

  @Test
  void tooLargeObject_isRejectedAfterDecompression() throws Exception {
    Buffer packed = new Buffer();
    try (BufferedSink gzip = Okio.buffer(new GzipSink(packed))) {
      gzip.writeUtf8("{\"items\":[{\"a\":\"").writeUtf8(" ".repeat(1 << 20)).writeUtf8("\"}]}");
    }
    answerPacked(packed);
    KubeSettings small = SETTINGS.with(new KubeSettings.Sizes(500, 100_000));
    try (KubeUpstream pods = stub.upstream(PODS, small)) {
      assertThat(failure(pods.list(recorder)))
          .isEqualTo(
              new Malformed("list pods: a JSON value is larger than the limit of 100000 bytes"));
    }
  }

  @Test
  void pageOfAnotherVersion_isRejected() throws Exception {
    stub.answer(ListPage.of("529", "one", 0, 1));
    stub.answer(ListPage.of("530", "", 1, 2));
    try (KubeUpstream pods = stub.pods()) {
      assertThat(failure(pods.list(recorder)))
          .isEqualTo(new Malformed("list pods: a page of version 530 follows one of 529"));
    }
  }

  @Test
  void repeatedPageToken_endsTheList() throws Exception {
    stub.answer(ListPage.of("529", "one", 0, 1));
    stub.answer(ListPage.of("529", "one", 1, 2));
    try (KubeUpstream pods = stub.pods()) {
      assertThat(failure(pods.list(recorder)))
          .isEqualTo(new Malformed("list pods: a page has its own continue token"));
    }
  }

  @Test
  void expiredPageToken_endsTheList() throws Exception {
    stub.answer(ListPage.of("529", "one", 0, 1));
    stub.answer(ListPage.of("529", "two", 1, 2));
    stub.answer(
        410,
        JSON,
        status(410, "Expired", "The provided continue parameter is too old")
            .replace("\"metadata\":{}", "\"metadata\":{\"continue\":\"fresh\"}"));
    try (KubeUpstream pods = stub.pods()) {
      assertThat(failure(pods.list(recorder)))
          .isEqualTo(
              new Expired("list pods: 410 Expired: The provided continue parameter is too old"));
    }
    assertThat(stub.server.getRequestCount()).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '\'',
      value = {
        "text/html; <html>secret</html>; unexpected byte in JSON at 0",
        "application/json; {\"items\":[{\"a\":\"secret; the stream ended inside a JSON document,"
            + " after 22 bytes",
        "application/json; {\"items\":[{}],; the stream ended inside a JSON document, after 14"
            + " bytes",
        "application/json; {\"kind\":\"Status\"}; a JSON object without items, where a list was"
            + " expected",
        "application/json; ''; the stream ended inside a JSON document, after 0 bytes",
      })
  void otherAnswer_isMalformedAndNotQuoted(String type, String body, String problem)
      throws Exception {
    stub.answer(200, type, body);
    try (KubeUpstream pods = stub.pods()) {
      assertThat(failure(pods.list(recorder))).isEqualTo(new Malformed("list pods: " + problem));
    }
  }

  /** The cache treats it as a type whose versions have no order. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"items\":[]}",
        "{\"items\":[],\"metadata\":null}",
        "{\"metadata\":{\"resourceVersion\":\"\"},\"items\":null}",
        "{\"metadata\":{\"resourceVersion\":null},\"items\":[]}",
      })
  void listWithoutVersion_hasEmptyVersion(String body) throws Exception {
    stub.answer(200, JSON, body);
    try (KubeUpstream pods = stub.pods()) {
      assertThat(pods.list(recorder)).isEqualTo(new Listed(""));
    }
  }

  @Test
  void probeWithoutVersion_fails() throws Exception {
    stub.answer(200, JSON, "{\"items\":[],\"metadata\":{}}");
    try (KubeUpstream pods = stub.pods()) {
      assertThat(failure(pods.probe()))
          .isEqualTo(new Malformed("probe pods: without a resourceVersion"));
    }
  }

  @Test
  void expiringPageTokens_areNotUsedAfterTwoLists() throws Exception {
    String expired = status(410, "Expired", "The provided continue parameter is too old");
    for (int i = 0; i < 2; i++) {
      stub.answer(ListPage.of("529", "one", 0, 1));
      stub.answer(410, JSON, expired);
    }
    stub.answer(ListPage.of("529", "", 0, 1));
    try (KubeUpstream pods = stub.pods()) {
      assertThat(failure(pods.list(recorder))).isInstanceOf(Expired.class);
      assertThat(failure(pods.list(recorder))).isInstanceOf(Expired.class);
      assertThat(pods.list(recorder)).isEqualTo(new Listed("529"));
    }
    List<String> limits = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      limits.add(String.valueOf(stub.request().getUrl().queryParameter("limit")));
    }
    assertThat(limits).containsExactly("500", "500", "500", "500", "null");
  }

  @Test
  void oddItems_areReportedSeparately() throws Exception {
    stub.answer(
        200,
        JSON,
        "{\"metadata\":{\"resourceVersion\":\"529\"},\"items\":[null,{\"kind\":\"Pod\"},[],{\"kind\":\""
            + "x".repeat(2_000)
            + "\"}]}");
    KubeSettings small = SETTINGS.with(new KubeSettings.Sizes(500, 1_000));
    try (KubeUpstream pods = stub.upstream(PODS, small)) {
      assertThat(pods.list(recorder)).isEqualTo(new Listed("529"));
    }
    assertThat(recorder.seen)
        .containsExactly(
            "item an item of a list is not an object",
            "{\"kind\":\"Pod\"}",
            "item an item of a list is not an object",
            "item a JSON value is larger than the limit of 1000 bytes");
  }
}
