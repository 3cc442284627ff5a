package io.watchgate.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of objects as tables and as their metadata, and of the Accept header. */
@Timeout(300)
final class ObjectEncoderTest {
  private static final String MAPS = "/api/v1/namespaces/a/configmaps";
  private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
  private static final String PARTIAL =
      "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
  private static final String PARTIAL_LIST =
      "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
  private static final String PROTOBUF = "application/vnd.kubernetes.protobuf";

  private final TestCatalog catalog = new TestCatalog();
  private final TestServer server = new TestServer(catalog, null, TestServer.SETTINGS);
  private final TestObject map =
      catalog.put(
          TestCatalog.CONFIG_MAPS, TestObject.of("a", "c1").with(",\"data\":{\"k\":\"1\"}"));

  @AfterEach
  void close() {
    server.close();
  }

  private HttpResponse<String> get(String path, String accept) {
    return server.get(path, "Accept", accept);
  }

  private static String partial(TestObject object) {
    return "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":"
        + object.metadata()
        + "}";
  }

  // ---- metadata

  @Test
  void get_asPartialObjectMetadata() {
    assertThat(get(MAPS + "/c1", PARTIAL).body()).isEqualTo(partial(map) + "\n");
  }

  @Test
  void list_asPartialObjectMetadataList() {
    assertThat(get(MAPS, PARTIAL_LIST).body())
        .isEqualTo(
            "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"101\"},\"items\":["
                + partial(map)
                + "]}\n");
  }

  @Test
  void watch_asPartialObjectMetadata() {
    String path = MAPS + "?watch=1&allowWatchBookmarks=1";
    try (TestWatch watch = TestWatch.open(server, path, "Accept", PARTIAL)) {
      assertThat(watch.next()).isEqualTo(TestWatch.frame("ADDED", partial(map)));
      assertThat(watch.next())
          .isEqualTo(
              TestWatch.frame(
                  "BOOKMARK",
                  "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"101\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}"));
      catalog.delete(TestCatalog.CONFIG_MAPS, map);
      assertThat(watch.next()).isEqualTo(TestWatch.frame("DELETED", partial(map.at(102))));
    }
  }

  @Test
  void watch_asPartialObjectMetadataList_endsAtOnce() {
    try (TestWatch watch = TestWatch.open(server, MAPS + "?watch=1", "Accept", PARTIAL_LIST)) {
      assertThat(watch.response.statusCode()).isEqualTo(200);
      assertThat(watch.rest()).isEmpty();
    }
  }

  @Test
  void metadata_atAnyPosition_isFound() {
    TestObject widget =
        catalog.put(
            TestCatalog.WIDGETS, TestObject.of("a", "w").with(",\"spec\":{\"metadata\":1}"));
    assertThat(get("/apis/x.io/v1/namespaces/a/widgets/w", PARTIAL).body())
        .isEqualTo(partial(widget) + "\n");
  }

  // ---- tables

  @Test
  void table_hasColumnsAndCells() {
    JsonObject table = json(get(MAPS, TABLE).body());
    assertThat(table.get("kind").getAsString()).isEqualTo("Table");
    assertThat(table.get("apiVersion").getAsString()).isEqualTo("meta.k8s.io/v1");
    assertThat(table.getAsJsonObject("metadata")).hasToString("{\"resourceVersion\":\"101\"}");
    assertThat(names(table.get("columnDefinitions"))).containsExactly("Name", "Data", "Age");
    JsonObject name = table.getAsJsonArray("columnDefinitions").get(0).getAsJsonObject();
    assertThat(name.keySet()).containsExactly("name", "type", "format", "description", "priority");
    assertThat(name.get("format").getAsString()).isEqualTo("name");
    JsonObject row = table.getAsJsonArray("rows").get(0).getAsJsonObject();
    assertThat(row.getAsJsonArray("cells").get(0).getAsString()).isEqualTo("c1");
    assertThat(row.getAsJsonArray("cells").get(1).getAsInt()).isEqualTo(1);
    assertThat(row.get("object")).isEqualTo(json(partial(map)));
  }

  @ParameterizedTest
  @CsvSource({"'',PartialObjectMetadata", "Metadata,PartialObjectMetadata", "Object,ConfigMap"})
  void table_includesTheObject(String include, String kind) {
    JsonObject row = row(get(MAPS + "/c1?includeObject=" + include, TABLE).body());
    assertThat(row.getAsJsonObject("object").get("kind").getAsString()).isEqualTo(kind);
  }

  @Test
  void table_withIncludeNone_hasNoObject() {
    assertThat(row(get(MAPS + "?includeObject=None", TABLE).body()).get("object").isJsonNull())
        .isTrue();
  }

  @Test
  void table_withUnknownInclude_isRefused() {
    HttpResponse<String> answer = get(MAPS + "?includeObject=Foo", TABLE);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body())
        .contains(
            "Unable to convert to Table as requested: includeObject: Invalid value: \\\"Foo\\\":"
                + " must be 'Metadata', 'Object', 'None', or empty");
  }

  @Test
  void watchTable_sendsColumnsOnce() {
    String path = MAPS + "?watch=1&allowWatchBookmarks=1";
    try (TestWatch watch = TestWatch.open(server, path, "Accept", TABLE)) {
      JsonObject first = json(watch.next());
      assertThat(first.get("type").getAsString()).isEqualTo("ADDED");
      JsonObject table = first.getAsJsonObject("object");
      assertThat(table.getAsJsonObject("metadata")).hasToString("{\"resourceVersion\":\"101\"}");
      assertThat(names(table.get("columnDefinitions"))).containsExactly("Name", "Data", "Age");
      JsonObject bookmark = json(watch.next());
      assertThat(bookmark.get("type").getAsString()).isEqualTo("BOOKMARK");
      JsonObject marker = bookmark.getAsJsonObject("object");
      assertThat(marker.get("columnDefinitions").isJsonNull()).isTrue();
      assertThat(marker.getAsJsonArray("rows").get(0).getAsJsonObject().get("object"))
          .hasToString(
              "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"101\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}");
    }
  }

  @Test
  void tableError_isAStatus() {
    try (TestWatch watch =
        TestWatch.open(server, MAPS + "?watch=1&resourceVersion=1", "Accept", TABLE)) {
      assertThat(watch.next()).startsWith("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\"");
    }
    assertThat(get(MAPS + "/none", TABLE).body()).startsWith("{\"kind\":\"Status\"");
  }

  @Test
  void table_v1beta1_isServed() {
    assertThat(get(MAPS, TABLE.replace("v=v1", "v=v1beta1")).body())
        .startsWith("{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1beta1\",");
  }

  // ---- the Accept header

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          */*                                                  | ConfigMapList
          application/json                                     | ConfigMapList
          application/*;q=0.5                                  | ConfigMapList
          application/json;charset=utf-8                       | ConfigMapList
          application/vnd.kubernetes.protobuf,application/json | ConfigMapList
          application/cbor, */*                                | ConfigMapList
          application/json;as=Table;v=v1;g=meta.k8s.io,application/json | Table
          application/json;q=0.1,application/json;as=Table;v=v1;g=meta.k8s.io | Table
          application/json,application/json;as=Table;v=v1;g=meta.k8s.io | ConfigMapList
          application/json;as=Table;v=v9;g=meta.k8s.io,application/json | ConfigMapList
          application/json;as=Foo;v=v1;g=meta.k8s.io,application/json   | ConfigMapList
          """)
  void accept_firstSupportedFormatIsServed(String accept, String kind) {
    assertThat(json(get(MAPS, accept).body()).get("kind").getAsString()).isEqualTo(kind);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        PROTOBUF,
        "application/cbor",
        "application/yaml",
        "text/html",
        "application/json;q=0",
        "application/json;as=Foo;g=meta.k8s.io;v=v1",
        "application/json;as=Table;g=other;v=v1",
        PARTIAL
      })
  void list_inUnsupportedFormat_isRefused(String accept) {
    HttpResponse<String> answer = get(MAPS, accept);
    assertThat(answer.statusCode()).isEqualTo(406);
    assertThat(answer.body()).contains("\"reason\":\"NotAcceptable\"", "\"code\":406}");
  }

  @Test
  void get_asList_isRefused() {
    HttpResponse<String> answer = get(MAPS + "/c1", PARTIAL_LIST);
    assertThat(answer.statusCode()).isEqualTo(406);
    assertThat(answer.body())
        .contains(
            "you requested PartialObjectMetadataList, but the requested object is not a list");
  }

  private static JsonObject json(String text) {
    return JsonParser.parseString(text).getAsJsonObject();
  }

  private static JsonObject row(String table) {
    return json(table).getAsJsonArray("rows").get(0).getAsJsonObject();
  }

  private static List<String> names(JsonElement definitions) {
    return definitions.getAsJsonArray().asList().stream()
        .map(each -> each.getAsJsonObject().get("name").getAsString())
        .toList();
  }
}
