package io.watchgate.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.json.ListReader.ListMetadata;
import java.io.IOException;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ListReaderTest {
  private static final ObjectMapper JACKSON = new ObjectMapper();
  private static final int ALL = Integer.MAX_VALUE;
  private static final int ONE_BYTE = 1;

  private static ListMetadata read(String document, int chunk, List<String> items)
      throws IOException, JsonException {
    return read(Chunks.of(document.getBytes(UTF_8), chunk), items);
  }

  private static ListMetadata read(Chunks document, List<String> items)
      throws IOException, JsonException {
    return new ListReader(document, "v1", "Pod", 1 << 20).read(into(items, UTF_8));
  }

  /** Returns a collector of items; an unreadable item follows its problem and a colon. */
  static ListReader.Items into(List<String> items, Charset charset) {
    return new ListReader.Items() {
      @Override
      public void item(byte[] object) {
        items.add(new String(object, charset));
      }

      @Override
      public void unreadable(byte[] beginning, String problem) {
        items.add(problem + ": " + new String(beginning, charset));
      }
    };
  }

  @Test
  void builtInItems_getTheirTypeFirst() throws Exception {
    String document =
        """
        {"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"529","continue":"abc",\
        "remainingItemCount":2},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b",\
        "labels":{"kind":"x"}},"kinds":"kind"},{}]}
        """;
    for (int chunk : List.of(ALL, ONE_BYTE)) {
      List<String> items = new ArrayList<>();
      assertThat(read(document, chunk, items)).isEqualTo(new ListMetadata("529", "abc", 2));
      assertThat(items)
          .containsExactly(
              "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}",
              "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"b\",\"labels\":"
                  + "{\"kind\":\"x\"}},\"kinds\":\"kind\"}",
              "{\"kind\":\"Pod\",\"apiVersion\":\"v1\" }");
    }
  }

  @Test
  void customItems_areUnchanged() throws Exception {
    String first = "{\"apiVersion\":\"x.io/v1\",\"kind\":\"W\",\"metadata\":{\"name\":\"a\"}}";
    String second = "{\"aaa\":{\"kind\":1},\"apiVersion\":\"x.io/v1\",\"kind\":\"W\"}";
    String document =
        "{\"apiVersion\":\"x.io/v1\",\"items\":["
            + first
            + ","
            + second
            + "],\"kind\":\"WList\",\"metadata\":{\"continue\":\"\",\"resourceVersion\":\"7\"}}\n";
    for (int chunk : List.of(ALL, ONE_BYTE)) {
      List<String> items = new ArrayList<>();
      assertThat(read(document, chunk, items)).isEqualTo(new ListMetadata("7", "", -1));
      assertThat(items).containsExactly(first, second);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '\'',
      value = {
        "{\"items\":[]}; ''; -1",
        "{\"items\":null,\"metadata\":null}; ''; -1",
        "{\"metadata\":{},\"items\":[]}; ''; -1",
        "{\"metadata\":{\"resourceVersion\":null},\"items\":[ ]}; ''; -1",
        "{\"metadata\":{\"resourceVersion\":\"\\u0031\",\"remainingItemCount\":-1},\"items\":[]};"
            + " 1; -1",
        "{\"x\":[[{}]],\"metadata\":{\"a\":1,\"resourceVersion\":\"1\",\"remainingItemCount\":3},"
            + "\"items\":[],\"y\":\"\"}; 1; 3",
      })
  void emptyLists_areRead(String document, String version, long remaining) throws Exception {
    List<String> items = new ArrayList<>();
    assertThat(read(document, ONE_BYTE, items)).isEqualTo(new ListMetadata(version, "", remaining));
    assertThat(items).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '\'',
      value = {
        "<!DOCTYPE html>; unexpected byte in JSON at 0",
        "null; unexpected byte in JSON at 0",
        "{}; a JSON object without items, where a list was expected",
        "{\"kind\":\"Status\",\"code\":500}; a JSON object without items, where a list was"
            + " expected",
        "{\"items\":{}}; unexpected byte in JSON at 9",
        "{\"items\":[{},]}; unexpected byte in JSON at 13",
        "{\"items\":[{}],\"items\":[]}; a list names its items twice",
        "{\"items\":[{\"a\":[}]}]}; unexpected byte in JSON at 16",
        "{\"items\":[]}{; unexpected byte in JSON at 12",
        "{\"items\":[],}; unexpected byte in JSON at 12",
      })
  void invalidList_isRefused(String document, String message) {
    for (int chunk : List.of(ALL, ONE_BYTE)) {
      assertThatThrownBy(() -> read(document, chunk, new ArrayList<>()))
          .isInstanceOf(JsonException.class)
          .hasMessage(message);
    }
  }

  @Test
  void truncatedList_isDetectedAtAnyByte() {
    String document =
        "{\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[{\"a\":\"\\\"x\"},{\"kind\":1.5e3}]}";
    List<String> all =
        List.of("{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"a\":\"\\\"x\"}", "{\"kind\":1.5e3}");
    for (int chunk : List.of(ALL, ONE_BYTE)) {
      for (int cut = 0; cut < document.length(); cut++) {
        String part = document.substring(0, cut);
        List<String> items = new ArrayList<>();
        assertThatThrownBy(() -> read(part, chunk, items))
            .as(part)
            .isInstanceOf(TruncatedJsonException.class);
        assertThat(items).isEqualTo(all.subList(0, items.size()));
      }
    }
  }

  @Test
  void itemOverLimit_isReportedWithItsBeginning() throws Exception {
    String first = "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"7\"},\"x\":\"";
    String item = first + "x".repeat(5_000) + "\"}";
    String document =
        "{\"items\":[" + item + ",{},5,null],\"metadata\":{\"resourceVersion\":\"9\"}}";
    for (int chunk : List.of(ALL, 1_000)) {
      List<String> items = new ArrayList<>();
      Chunks chunks = Chunks.of(document.getBytes(UTF_8), chunk);
      ListMetadata end = new ListReader(chunks, "v1", "Pod", 1 << 10).read(into(items, UTF_8));
      assertThat(end.resourceVersion()).isEqualTo("9");
      assertThat(items)
          .containsExactly(
              "a JSON value is larger than the limit of 1024 bytes: " + item.substring(0, 1 << 10),
              "{\"kind\":\"Pod\",\"apiVersion\":\"v1\" }",
              "an item of a list is not an object: 5",
              "an item of a list is not an object: null");
    }
  }

  @Test
  void errorInsideItem_isLeftToObjectReader() throws Exception {
    for (String odd :
        List.of(
            "{\"a\":\"line\nfeed\u0001\"}",
            "{\"kind\" 5}",
            "{\"a\":" + "[".repeat(20_000) + "]".repeat(20_000) + "}")) {
      List<String> items = new ArrayList<>();
      read("{\"items\":[{\"kind\":\"b\"}," + odd + ",{\"kind\":\"c\"}]}", 1_000, items);
      assertThat(items).hasSize(3).startsWith("{\"kind\":\"b\"}").endsWith("{\"kind\":\"c\"}");
      assertThatThrownBy(() -> KubeObject.read(items.get(1).getBytes(UTF_8), FieldPaths.NONE))
          .isInstanceOf(JsonException.class);
    }
  }

  /** A list is read up to eight times the limit, for all sizes of reads. */
  @Test
  void itemFarOverLimit_isRefusedForAllReadSizes() throws Exception {
    int limit = 1 << 7;
    for (int chunk : List.of(ALL, 100, 1)) {
      List<String> items = new ArrayList<>();
      ListReader most = new ListReader(Chunks.of(listOf(8 * limit), chunk), "v1", "Pod", limit);
      assertThat(most.read(into(items, UTF_8)).resourceVersion()).isEqualTo("9");
      assertThat(items).hasSize(2);

      ListReader more = new ListReader(Chunks.of(listOf(8 * limit + 1), chunk), "v1", "Pod", limit);
      assertThatThrownBy(() -> more.read(into(new ArrayList<>(), UTF_8)))
          .isInstanceOf(JsonException.class)
          .hasMessage("a JSON value is larger than the limit of 128 bytes");
    }
  }

  /** Returns a list of an item of {@code bytes} bytes and a small one. */
  private static byte[] listOf(int bytes) {
    String item = "{\"a\":\"" + "x".repeat(bytes - "{\"a\":\"\"}".length()) + "\"}";
    return ("{\"items\":[" + item + ",{}],\"metadata\":{\"resourceVersion\":\"9\"}}")
        .getBytes(UTF_8);
  }

  @Test
  void itemWithoutEnd_isRefused() {
    byte[] endless = ("{\"items\":[{\"a\":\"" + "x".repeat(1 << 18)).getBytes(UTF_8);
    Chunks chunks = Chunks.of(endless, 1_000);
    assertThatThrownBy(
            () -> new ListReader(chunks, "v1", "Pod", 1 << 12).read(into(new ArrayList<>(), UTF_8)))
        .isInstanceOf(JsonException.class)
        .hasMessageContaining("larger than the limit of 4096");
    assertThat(chunks.given()).isLessThan(1 << 17);
  }

  @ParameterizedTest
  @ValueSource(ints = {61, 62, 63, 64, 65, 125, 126, 127, 128, 9_000})
  void nesting_isLimitedAsInApiserver(int depth) throws Exception {
    String deep = "[".repeat(depth % 2) + "[{\"b\":".repeat(depth / 2) + "\"kind\"";
    deep += "}]".repeat(depth / 2) + "]".repeat(depth % 2);
    String item =
        "{\"metadata\":{\"name\":\"n\",\"uid\":\"u\",\"resourceVersion\":\"1\"},\"a\":"
            + deep
            + "}";
    List<String> items = new ArrayList<>();
    read("{\"items\":[" + item + "," + item + "]}", 1_000, items);
    String typed = "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"," + item.substring(1);
    assertThat(items).containsExactly(typed, typed);
    assertThat(KubeObject.read(typed.getBytes(UTF_8), FieldPaths.NONE).name()).isEqualTo("n");
    String mixed = typed.substring(0, typed.length() - 2) + "}}";
    assertThatThrownBy(() -> KubeObject.read(mixed.getBytes(UTF_8), FieldPaths.NONE))
        .isInstanceOf(JsonException.class);
  }

  @Test
  void randomLists_equalJacksonsResult() throws Exception {
    for (long seed = 0; seed < 3_000; seed++) {
      try {
        compareWithJackson(new Random(seed));
      } catch (Throwable t) {
        throw new AssertionError("seed " + seed, t);
      }
    }
  }

  private static void compareWithJackson(Random random) throws IOException, JsonException {
    RandomJson json = new RandomJson(random);
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    ArrayNode items = nodes.arrayNode();
    for (int i = random.nextInt(20); i > 0; i--) {
      items.add(json.object(4));
    }
    ObjectNode metadata = nodes.objectNode().put("resourceVersion", json.string());
    metadata.put("continue", json.string()).put("remainingItemCount", random.nextInt(9));
    metadata.set("other", json.value(3));
    List<String> keys = new ArrayList<>(List.of("kind", "metadata", "items", "x", "y"));
    Collections.shuffle(keys, random);
    ObjectNode document = nodes.objectNode();
    for (String key : keys) {
      document.set(
          key,
          switch (key) {
            case "metadata" -> metadata;
            case "items" -> items;
            default -> json.value(4);
          });
    }
    String text = random.nextInt(3) == 0 ? document.toPrettyString() : document.toString();
    int most = 1 + random.nextInt(500);
    List<String> got = new ArrayList<>();
    ListMetadata end = read(Chunks.random(text.getBytes(UTF_8), random, most), got);
    assertThat(end)
        .isEqualTo(
            new ListMetadata(
                metadata.get("resourceVersion").textValue(),
                metadata.get("continue").textValue(),
                metadata.get("remainingItemCount").longValue()));
    assertThat(got).hasSize(items.size());
    for (int i = 0; i < got.size(); i++) {
      JsonNode item = items.get(i);
      if (!item.has("kind") && !item.has("apiVersion")) {
        ObjectNode typed = nodes.objectNode().put("kind", "Pod").put("apiVersion", "v1");
        item = typed.setAll((ObjectNode) item);
      }
      assertThat(JACKSON.readTree(got.get(i))).isEqualTo(JACKSON.readTree(item.toString()));
    }
  }
}
