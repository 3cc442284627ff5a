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

/** Labels of objects that are held as JSON. */
public final class Labels {
  private Labels() {}

  /**
   * {@code metadata.labels} of an object. It is read as far as they are, and nothing but they is
   * made of it.
   *
   * @param json as an informer of {@link Decoder#raw} holds it
   * @return immutable; empty where it has none, or was sent without
   * @throws IllegalArgumentException if it is no object's JSON; what stands there is not quoted
   */
  public static Map<String, String> ofJson(ByteString json) {
    if (json.isEmpty()) {
      return Map.of();
    }
    try (Reader text = new InputStreamReader(json.newInput(), StandardCharsets.UTF_8);
        JsonReader reader = new JsonReader(text)) {
      return found("metadata", reader) && found("labels", reader) ? labels(reader) : Map.of();
    } catch (IOException | IllegalStateException e) {
      // Neither is its cause: the messages of the reader have parts of what it reads.
      throw new IllegalArgumentException("the labels of an object cannot be read: broken JSON");
    }
  }

  /** Whether the object that begins here has such a member; the reader is there then. */
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
        throw new IllegalStateException("a label that is no text");
      }
      labels.put(key, reader.nextString());
    }
    return Map.copyOf(labels);
  }
}
