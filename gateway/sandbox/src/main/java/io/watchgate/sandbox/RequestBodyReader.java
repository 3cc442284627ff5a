package io.watchgate.sandbox;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.watchgate.http.StatusErrors;
import io.watchgate.http.StatusException;
import io.watchgate.http.WriteRequest;
import io.watchgate.sandbox.protobuf.ProtobufException;
import io.watchgate.sandbox.protobuf.ProtobufObject;
import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reader of the body of a request. Rejects bodies that are nested deeper than 255 levels. */
final class RequestBodyReader {
  private static final Pattern POSITION = Pattern.compile("at line (\\d+) column (\\d+)");
  private static final String ACCEPTED =
      "application/json, application/yaml, " + ProtobufObject.MEDIA_TYPE;

  private RequestBodyReader() {}

  /**
   * Returns the object of the body, which is JSON, YAML or protobuf.
   *
   * @param kind expected kind, for the error message
   */
  static JsonObject object(WriteRequest request, String kind) throws StatusException {
    if (request.body().length == 0) {
      throw unrecognized(kind, "the body is empty");
    }
    JsonElement sent =
        switch (request.contentType()) {
          case "", "application/json" -> json(request.body(), kind);
          case "application/yaml" -> yaml(request.body(), kind);
          case ProtobufObject.MEDIA_TYPE -> protobuf(request.body(), kind);
          default -> throw WriteErrors.mediaType(ACCEPTED);
        };
    if (sent instanceof JsonObject object) {
      return object;
    }
    throw unrecognized(kind, "a JSON object is expected, not " + name(sent));
  }

  private static JsonElement json(byte[] body, String kind) throws StatusException {
    try (JsonReader reader = new JsonReader(new StringReader(text(body, kind)))) {
      reader.setStrictness(Strictness.STRICT);
      JsonElement value = JsonParser.parseReader(reader);
      if (reader.peek() != JsonToken.END_DOCUMENT) {
        throw unrecognized(kind, "something follows the end of the JSON");
      }
      return value;
    } catch (JsonParseException | IOException e) {
      throw unrecognized(kind, "malformed JSON" + position(e));
    }
  }

  private static JsonElement yaml(byte[] body, String kind) throws StatusException {
    try {
      return YamlBody.read(text(body, kind));
    } catch (YamlBody.Malformed e) {
      throw unrecognized(kind, String.valueOf(e.getMessage()));
    }
  }

  private static JsonElement protobuf(byte[] body, String kind) throws StatusException {
    try {
      return ProtobufObject.read(body);
    } catch (ProtobufException e) {
      throw unrecognized(kind, String.valueOf(e.getMessage()));
    }
  }

  private static String text(byte[] body, String kind) throws StatusException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
    } catch (CharacterCodingException e) {
      throw unrecognized(kind, "the body is not UTF-8");
    }
  }

  /** Returns the position from Gson's message; the rest of the message is specific to Gson. */
  private static String position(Exception e) {
    Matcher found = POSITION.matcher(String.valueOf(e.getMessage()));
    return found.find()
        ? " at line " + found.group(1) + ", column " + found.group(2)
        : ", it ends early or is nested too deeply";
  }

  private static StatusException unrecognized(String kind, String reason) {
    return StatusErrors.badRequest(
        "the object provided is unrecognized (must be of type " + kind + "): " + reason);
  }

  private static String name(JsonElement value) {
    return value.isJsonArray() ? "an array" : value.isJsonNull() ? "null" : "a single value";
  }
}
