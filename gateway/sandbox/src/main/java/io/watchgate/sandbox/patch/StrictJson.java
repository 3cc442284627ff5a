package io.watchgate.sandbox.patch;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Strict JSON parser according to RFC 8259; Gson's default is lenient. */
final class StrictJson {
  private static final Pattern POSITION = Pattern.compile("line (\\d+) column (\\d+)");

  private StrictJson() {}

  static JsonElement parse(byte[] body) throws PatchException {
    if (body.length == 0) {
      throw PatchException.malformed("the patch is empty");
    }
    JsonReader reader = new JsonReader(new StringReader(new String(body, StandardCharsets.UTF_8)));
    reader.setStrictness(Strictness.STRICT);
    try {
      JsonElement value = JsonParser.parseReader(reader);
      if (reader.peek() != JsonToken.END_DOCUMENT) {
        throw PatchException.malformed("the patch is JSON with something behind it");
      }
      return value;
    } catch (JsonParseException | IOException e) {
      throw PatchException.malformed("the patch " + errorText(e));
    }
  }

  static JsonObject parseObject(byte[] body) throws PatchException {
    JsonElement value = parse(body);
    if (value instanceof JsonObject object) {
      return object;
    }
    throw PatchException.malformed("a merge patch must be a JSON object, not " + kind(value));
  }

  /** Returns the kind of a value, for error messages. */
  static String kind(JsonElement value) {
    if (value.isJsonNull()) {
      return "null";
    }
    if (value.isJsonObject()) {
      return "an object";
    }
    if (value.isJsonArray()) {
      return "an array";
    }
    return value.getAsJsonPrimitive().isString()
        ? "a string"
        : value.getAsJsonPrimitive().isBoolean() ? "a boolean" : "a number";
  }

  /**
   * Returns the error without Gson's message, which advises programmers to use the lenient mode.
   */
  private static String errorText(Exception e) {
    Throwable cause = e.getCause() == null ? e : e.getCause();
    String message = String.valueOf(cause.getMessage());
    Matcher place = POSITION.matcher(message);
    return (message.startsWith("Nesting limit") ? "is nested too deeply" : "is not JSON")
        + (place.find() ? ": line " + place.group(1) + ", column " + place.group(2) : "");
  }
}
