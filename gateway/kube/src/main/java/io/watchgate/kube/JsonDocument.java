package io.watchgate.kube;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.watchgate.json.JsonException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Tree of a JSON object that is small or rare (a Status, a bookmark, discovery). No accessor
 * converts a value: a string is never read as a boolean or a number, nor the reverse. The plain
 * accessors treat a value of another type as absent; those named {@code exact} reject it.
 */
final class JsonDocument {
  private static final JsonDocument NOTHING = new JsonDocument(new JsonObject());

  private final JsonObject object;

  private JsonDocument(JsonObject object) {
    this.object = object;
  }

  /** Parses a complete stream. */
  static JsonDocument read(InputStream in, int maxBytes) throws IOException, JsonException {
    byte[] bytes = in.readNBytes(maxBytes);
    if (bytes.length == maxBytes && in.read() >= 0) {
      throw new JsonException("a document is larger than the limit of " + maxBytes + " bytes");
    }
    return parse(bytes, 0, bytes.length);
  }

  /** Parses a document; of two members with one name, the last counts. */
  static JsonDocument parse(byte[] bytes, int from, int to) throws JsonException {
    return parse(
        new InputStreamReader(
            new ByteArrayInputStream(bytes, from, to - from), StandardCharsets.UTF_8));
  }

  /**
   * Parses a document that decides on security.
   *
   * @throws JsonException also if two members of an object have one name, or a text has incomplete
   *     characters: parsers differ in their reading of such a document
   */
  static JsonDocument parseExact(byte[] bytes) throws JsonException {
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new JsonException("not UTF-8 text");
    }
    checkUnambiguous(text);
    return parse(new StringReader(text));
  }

  private static JsonDocument parse(Reader text) throws JsonException {
    JsonReader reader = new JsonReader(text);
    reader.setStrictness(Strictness.STRICT);
    try {
      JsonElement element = JsonParser.parseReader(reader);
      if (element instanceof JsonObject object && reader.peek() == JsonToken.END_DOCUMENT) {
        return new JsonDocument(object);
      }
    } catch (JsonParseException | IOException e) {
      // Gson's text quotes the document.
    }
    throw new JsonException("not a JSON object where one was expected");
  }

  private static void checkUnambiguous(String text) throws JsonException {
    JsonReader reader = new JsonReader(new StringReader(text));
    reader.setStrictness(Strictness.STRICT);
    Deque<Set<String>> names = new ArrayDeque<>();
    try {
      for (JsonToken next = reader.peek(); next != JsonToken.END_DOCUMENT; next = reader.peek()) {
        switch (next) {
          case BEGIN_OBJECT -> {
            reader.beginObject();
            names.push(new HashSet<>());
          }
          case END_OBJECT -> {
            reader.endObject();
            names.pop();
          }
          case BEGIN_ARRAY -> reader.beginArray();
          case END_ARRAY -> reader.endArray();
          case NAME -> {
            if (!names.element().add(wellFormed(reader.nextName()))) {
              throw new JsonException("a JSON object with two members of one name");
            }
          }
          case STRING -> wellFormed(reader.nextString());
          default -> reader.skipValue();
        }
      }
    } catch (IOException e) {
      throw new JsonException("not JSON"); // Gson's text quotes the document
    }
  }

  /**
   * Returns the text, or rejects half of a surrogate pair, which would be sent as another
   * character.
   */
  private static String wellFormed(String text) throws JsonException {
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new JsonException("a text with half a character");
    }
    return text;
  }

  /** Returns the string, empty if there is none. */
  String text(String key) {
    return object.get(key) instanceof JsonPrimitive value && value.isString()
        ? value.getAsString()
        : "";
  }

  /** Returns the integer from 0 to 999,999,999, zero if there is none. */
  int number(String key) {
    return object.get(key) instanceof JsonPrimitive value
            && value.isNumber()
            && value.getAsString().matches("[0-9]{1,9}")
        ? value.getAsInt()
        : 0;
  }

  /** Returns whether the value is the JSON literal {@code true}. */
  boolean isTrue(String key) {
    return object.get(key) instanceof JsonPrimitive value
        && value.isBoolean()
        && value.getAsBoolean();
  }

  /** Returns whether the value is the JSON literal {@code false}, null or absent. */
  boolean isFalse(String key) {
    return isNothing(key)
        || (object.get(key) instanceof JsonPrimitive value
            && value.isBoolean()
            && !value.getAsBoolean());
  }

  private boolean isNothing(String key) {
    JsonElement value = object.get(key);
    return value == null || value.isJsonNull();
  }

  /**
   * Returns the string, empty if the value is null or absent.
   *
   * @throws JsonException if it is of another type
   */
  String exactText(String key) throws JsonException {
    if (!isNothing(key) && !(object.get(key) instanceof JsonPrimitive value && value.isString())) {
      throw new JsonException(key + " is not a string");
    }
    return text(key);
  }

  /**
   * Returns the strings of an array, none if the value is null or absent.
   *
   * @throws JsonException if it is anything but an array of strings
   */
  List<String> exactTexts(String key) throws JsonException {
    if (isNothing(key)) {
      return List.of();
    }
    List<String> texts = texts(key);
    if (!(object.get(key) instanceof JsonArray array) || array.size() != texts.size()) {
      throw new JsonException(key + " is not a list of strings");
    }
    return texts;
  }

  /**
   * Returns the object, an empty one if the value is null or absent.
   *
   * @throws JsonException if it is of another type
   */
  JsonDocument exactObject(String key) throws JsonException {
    if (!isNothing(key) && !(object.get(key) instanceof JsonObject)) {
      throw new JsonException(key + " is not an object");
    }
    return object(key);
  }

  /**
   * Returns all members by their names.
   *
   * @throws JsonException if one is anything but an array of strings
   */
  Map<String, List<String>> exactTextLists() throws JsonException {
    Map<String, List<String>> lists = new TreeMap<>();
    for (String key : object.keySet()) {
      lists.put(key, exactTexts(key));
    }
    return lists;
  }

  JsonDocument object(String key) {
    return object.get(key) instanceof JsonObject value ? new JsonDocument(value) : NOTHING;
  }

  List<JsonDocument> objects(String key) {
    List<JsonDocument> objects = new ArrayList<>();
    if (object.get(key) instanceof JsonArray array) {
      for (JsonElement element : array) {
        if (element instanceof JsonObject value) {
          objects.add(new JsonDocument(value));
        }
      }
    }
    return objects;
  }

  /** Returns the strings of an array; other elements are left out. */
  List<String> texts(String key) {
    List<String> texts = new ArrayList<>();
    if (object.get(key) instanceof JsonArray array) {
      for (JsonElement element : array) {
        if (element instanceof JsonPrimitive value && value.isString()) {
          texts.add(value.getAsString());
        }
      }
    }
    return texts;
  }
}
