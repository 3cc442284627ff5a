package io.watchgate.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Jackson with the strictness of RFC 8259, and without duplicate names. */
final class StrictJson {
  private static final ObjectMapper EXACT =
      new ObjectMapper()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);

  private StrictJson() {}

  /** Reads one document; null if it is none. */
  static @Nullable JsonNode read(byte[] json) {
    try {
      JsonNode tree = EXACT.readTree(utf8(json));
      return tree.isMissingNode() ? null : tree;
    } catch (IOException | NumberFormatException e) {
      return null; // also for exponents that no number of Java has
    }
  }

  /** Reads documents, one after the other; null if they are none. */
  static @Nullable List<JsonNode> readAll(byte[] json) {
    ObjectReader reader = EXACT.reader().without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    try (JsonParser parser = EXACT.createParser(utf8(json))) {
      List<JsonNode> documents = new ArrayList<>();
      while (parser.nextToken() != null) {
        documents.add(reader.readTree(parser));
      }
      return documents;
    } catch (IOException | NumberFormatException e) {
      return null;
    }
  }

  /** Decodes strictly, because Jackson also accepts a byte order mark and UTF-16. */
  private static byte[] utf8(byte[] json) throws CharacterCodingException {
    String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(json)).toString();
    if (text.startsWith("\ufeff") || text.contains("\0")) {
      throw new CharacterCodingException();
    }
    return json;
  }

  /** Returns the depth of nested brackets; 0 in a value without any. */
  static int depth(JsonNode tree) {
    int deepest = 0;
    for (JsonNode inside : tree) {
      deepest = Math.max(deepest, depth(inside));
    }
    return tree.isContainerNode() ? 1 + deepest : 0;
  }
}
