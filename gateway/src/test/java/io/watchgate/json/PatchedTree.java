package io.watchgate.json;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;

/**
 * Applier of RFC 6902 patches (add, remove and replace) to Jackson's trees, as strict as a client:
 * an operation on a missing value fails.
 */
public final class PatchedTree {
  private static final ObjectMapper EXACT =
      new ObjectMapper()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private PatchedTree() {}

  /** Reads a document; keeps all digits of its numbers. */
  public static JsonNode read(byte[] json) throws IOException {
    return EXACT.readTree(json);
  }

  public static JsonNode of(byte[] document, byte[] patch) throws IOException {
    JsonNode tree = read(document);
    for (JsonNode operation : read(patch)) {
      if (operation.get("path").textValue().isEmpty()) {
        tree = operation.get("value");
      } else {
        apply(tree, operation);
      }
    }
    return tree;
  }

  private static void apply(JsonNode tree, JsonNode operation) {
    String[] names = operation.get("path").textValue().split("/", -1);
    JsonNode around = tree;
    for (int i = 1; i < names.length - 1; i++) {
      String name = name(names[i]);
      around = around.isArray() ? around.required(index(name)) : around.required(name);
    }
    String last = name(names[names.length - 1]);
    JsonNode value = operation.get("value");
    switch (around) {
      case ObjectNode object -> member(object, operation.get("op").textValue(), last, value);
      case ArrayNode array -> element(array, operation.get("op").textValue(), index(last), value);
      default -> throw new IllegalArgumentException("nothing is inside: " + operation);
    }
  }

  private static void member(ObjectNode object, String op, String name, JsonNode value) {
    if (!op.equals("add")) {
      object.required(name);
    }
    switch (op) {
      case "add", "replace" -> object.set(name, value);
      case "remove" -> object.remove(name);
      default -> throw new IllegalArgumentException(op);
    }
  }

  private static void element(ArrayNode array, String op, int index, JsonNode value) {
    if (index < 0 || index > array.size() || (index == array.size() && !op.equals("add"))) {
      throw new IllegalArgumentException(index + " of " + array.size());
    }
    switch (op) {
      case "add" -> array.insert(index, value);
      case "replace" -> array.set(index, value);
      case "remove" -> array.remove(index);
      default -> throw new IllegalArgumentException(op);
    }
  }

  private static String name(String escaped) {
    return escaped.replace("~1", "/").replace("~0", "~");
  }

  private static int index(String digits) {
    return Integer.parseInt(digits);
  }
}
