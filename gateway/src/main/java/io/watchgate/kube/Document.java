package io.watchgate.kube;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import io.watchgate.json.JsonException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A JSON object that is small or rare (a Status, a bookmark, discovery), as a tree. What is absent
 * or of another type reads as empty.
 */
final class Document {
  private static final Document NOTHING = new Document(new JsonObject());

  private final JsonObject object;

  private Document(JsonObject object) {
    this.object = object;
  }

  /** Reads a whole stream. */
  static Document read(InputStream in, int maxBytes) throws IOException, JsonException {
    byte[] bytes = in.readNBytes(maxBytes);
    if (bytes.length == maxBytes && in.read() >= 0) {
      throw new JsonException("a document is larger than the limit of " + maxBytes + " bytes");
    }
    return parse(bytes, 0, bytes.length);
  }

  static Document parse(byte[] bytes, int from, int to) throws JsonException {
    JsonReader reader =
        new JsonReader(
            new InputStreamReader(
                new ByteArrayInputStream(bytes, from, to - from), StandardCharsets.UTF_8));
    reader.setStrictness(Strictness.STRICT);
    try {
      JsonElement element = JsonParser.parseReader(reader);
      if (element instanceof JsonObject object) {
        return new Document(object);
      }
    } catch (JsonParseException e) {
      // Gson's text quotes the document.
    }
    throw new JsonException("not a JSON object where one was expected");
  }

  /** Empty if absent. Numbers read as their digits. */
  String text(String key) {
    return object.get(key) instanceof JsonPrimitive value ? value.getAsString() : "";
  }

  /** Zero if absent. */
  int number(String key) {
    String digits = text(key);
    return digits.matches("[0-9]{1,9}") ? Integer.parseInt(digits) : 0;
  }

  boolean flag(String key) {
    return text(key).equals("true");
  }

  Document object(String key) {
    return object.get(key) instanceof JsonObject value ? new Document(value) : NOTHING;
  }

  List<Document> objects(String key) {
    List<Document> objects = new ArrayList<>();
    if (object.get(key) instanceof JsonArray array) {
      for (JsonElement element : array) {
        if (element instanceof JsonObject value) {
          objects.add(new Document(value));
        }
      }
    }
    return objects;
  }

  /** Of each key whose value is a list of texts. */
  Map<String, List<String>> textLists() {
    Map<String, List<String>> lists = new TreeMap<>();
    for (String key : object.keySet()) {
      lists.put(key, texts(key));
    }
    return lists;
  }

  List<String> texts(String key) {
    List<String> texts = new ArrayList<>();
    if (object.get(key) instanceof JsonArray array) {
      for (JsonElement element : array) {
        if (element instanceof JsonPrimitive value) {
          texts.add(value.getAsString());
        }
      }
    }
    return texts;
  }
}
