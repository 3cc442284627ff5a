package io.watchgate.informer;

import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Labels of objects that are stored as JSON. */
public final class Labels {
  private Labels() {}

  /**
   * Returns {@code metadata.labels} of an object. Reading stops after the labels, and no other part
   * is parsed into objects.
   *
   * @param json as stored by an informer with {@link Decoder#raw}
   * @return immutable; empty if the object has no labels or was sent without them
   * @throws IllegalArgumentException if it is no object's JSON; the message does not quote the JSON
   */
  public static Map<String, String> ofJson(ByteString json) {
    if (json.isEmpty()) {
      return Map.of();
    }
    try (Reader text = new InputStreamReader(json.newInput(), StandardCharsets.UTF_8);
        JsonReader reader = new JsonReader(text)) {
      return found("metadata", reader) && found("labels", reader) ? labels(reader) : Map.of();
    } catch (IOException | IllegalStateException e) {
      // The cause is dropped because the messages of the reader quote parts of the JSON.
      throw new IllegalArgumentException("the labels of an object cannot be read: broken JSON");
    }
  }

  /**
   * Moves the reader to a member of the current object. Returns whether the object has the member.
   */
  private static boolean found(String member, JsonReader reader) throws IOException {
    reader.beginObject();
    while (reader.hasNext()) {
      if (reader.nextName().equals(member)) {
        return reader.peek() != JsonToken.NULL;
      }
      reader.skipValue();
    }
    return false;
  }

  private static Map<String, String> labels(JsonReader reader) throws IOException {
    Map<String, String> labels = new LinkedHashMap<>();
    reader.beginObject();
    while (reader.hasNext()) {
      String key = reader.nextName();
      if (reader.peek() != JsonToken.STRING) {
        throw new IllegalStateException("a label that is not text");
      }
      labels.put(key, reader.nextString());
    }
    return Map.copyOf(labels);
  }
}
