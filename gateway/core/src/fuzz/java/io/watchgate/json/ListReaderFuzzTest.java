package io.watchgate.json;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.json.ListReader.ListMetadata;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Fuzz test that a list is independent of the sizes of reads, and equal to Jackson's result. */
final class ListReaderFuzzTest {
  private static final int LARGE = 1 << 20;
  private static final int SMALL = 48;
  private static final String TYPE = "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"";
  private static final String NO_OBJECT = "an item of a list is not an object: ";
  private static final String TOO_LARGE =
      "a JSON value is larger than the limit of " + SMALL + " bytes: ";

  /**
   * @param items one character for each of their bytes
   * @param metadata null if it was refused
   * @param trouble reason for the refusal
   */
  private record Heard(List<String> items, @Nullable ListMetadata metadata, String trouble) {}

  @FuzzTest
  void aListDoesNotDependOnWhereBytesAreCut(byte[] document) throws IOException {
    Heard whole = read(Chunks.of(document, Integer.MAX_VALUE), LARGE);
    Random random = new Random(Arrays.hashCode(document));
    for (int most : List.of(1, 3, 16, 300)) {
      assertThat(read(Chunks.random(document, random, most), LARGE)).isEqualTo(whole);
    }
    Heard little = read(Chunks.of(document, Integer.MAX_VALUE), SMALL);
    Heard slow = read(Chunks.of(document, 1), SMALL);
    assertThat(slow.items).isEqualTo(little.items);
    assertThat(slow.metadata).isEqualTo(little.metadata);
    for (int i = 0; i < little.items.size(); i++) {
      compareWithWhole(little.items.get(i), whole.items.get(i));
    }
    JsonNode tree = StrictJson.read(document);
    if (tree != null && isList(tree)) {
      compareWithJackson(whole, tree, document);
    }
  }

  private static Heard read(Chunks document, int maxItemBytes) throws IOException {
    List<String> items = new ArrayList<>();
    try {
      ListMetadata metadata =
          new ListReader(document, "v1", "Pod", maxItemBytes)
              .read(ListReaderTest.into(items, ISO_8859_1));
      return new Heard(items, metadata, "");
    } catch (JsonException | TruncatedJsonException e) {
      return new Heard(items, null, "" + e.getMessage());
    }
  }

  /** Checks that an item is the same with a small limit, or is over the limit and cut off at it. */
  private static void compareWithWhole(String item, String whole) {
    if (item.startsWith(TOO_LARGE)) {
      String beginning = item.substring(TOO_LARGE.length());
      assertThat(beginning).hasSize(SMALL);
      assertThat(inDocument(whole))
          .anySatisfy(text -> assertThat(text).startsWith(beginning).hasSizeGreaterThan(SMALL));
    } else {
      assertThat(item).isEqualTo(whole);
      assertThat(inDocument(whole)).anySatisfy(text -> assertThat(text).hasSizeBetween(1, SMALL));
    }
  }

  /** Returns the texts of the document for an item: a type may have been inserted. */
  private static List<String> inDocument(String item) {
    if (item.startsWith(NO_OBJECT)) {
      return List.of(item.substring(NO_OBJECT.length()));
    }
    return item.startsWith(TYPE)
        ? List.of(item, "{" + item.substring(TYPE.length() + 1))
        : List.of(item);
  }

  private static boolean isList(JsonNode tree) {
    JsonNode items = tree.path("items");
    JsonNode metadata = tree.path("metadata");
    for (JsonNode item : items) {
      if (!item.isObject()) {
        return false;
      }
    }
    return tree.isObject()
        && (items.isArray() || items.isNull())
        && (metadata.isObject() || metadata.isNull() || metadata.isMissingNode())
        && isTextOrNone(metadata.path("resourceVersion"))
        && isTextOrNone(metadata.path("continue"))
        && metadata.path("remainingItemCount").isIntegralNumber();
  }

  private static boolean isTextOrNone(JsonNode node) {
    return node.isTextual() || node.isNull() || node.isMissingNode();
  }

  private static void compareWithJackson(Heard heard, JsonNode tree, byte[] document) {
    assertThat(heard.trouble).isEmpty();
    JsonNode metadata = tree.path("metadata");
    JsonNode count = metadata.get("remainingItemCount");
    long remaining =
        heard.metadata != null && mayBeMinusZero(count, document)
            ? Math.min(heard.metadata.remainingItemCount(), 0)
            : counts(count) ? count.longValue() : -1;
    assertThat(heard.metadata)
        .isEqualTo(
            new ListMetadata(
                metadata.path("resourceVersion").asText(""),
                metadata.path("continue").asText(""),
                remaining));
    JsonNode items = tree.get("items");
    assertThat(heard.items).hasSize(items.size());
    for (int i = 0; i < items.size(); i++) {
      assertThat(StrictJson.read(heard.items.get(i).getBytes(ISO_8859_1)))
          .isEqualTo(typed((ObjectNode) items.get(i)));
    }
  }

  private static boolean counts(JsonNode number) {
    return number.canConvertToLong()
        && number.longValue() >= 0
        && number.longValue() < 1_000_000_000_000_000_000L;
  }

  /** Returns whether the number may be -0: Jackson reads 0, the reader ignores it. */
  private static boolean mayBeMinusZero(JsonNode number, byte[] document) {
    return number.asLong() == 0 && new String(document, ISO_8859_1).contains("-0");
  }

  private static ObjectNode typed(ObjectNode item) {
    return item.has("kind") || item.has("apiVersion")
        ? item
        : item.deepCopy()
            .setAll(
                JsonNodeFactory.instance.objectNode().put("kind", "Pod").put("apiVersion", "v1"));
  }
}
