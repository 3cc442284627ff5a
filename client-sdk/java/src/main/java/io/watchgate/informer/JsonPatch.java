package io.watchgate.informer;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import java.io.StringReader;
import org.jspecify.annotations.Nullable;

/**
 * JSON Patch (RFC 6902) as defined by watch.proto: a gateway sends only {@code add}, {@code
 * remove}, {@code replace} and {@code test}. Numbers keep their text.
 *
 * <p>{@code move} and {@code copy} are never sent and not supported.
 */
final class JsonPatch {
  private JsonPatch() {}

  /** Signals that the patch is invalid or does not apply. */
  static final class UnfitException extends Exception {
    UnfitException(String message) {
      super(message);
    }
  }

  static ByteString apply(ByteString json, ByteString patch) throws UnfitException {
    try {
      JsonElement document = parse(json);
      for (JsonElement operation : parse(patch).getAsJsonArray()) {
        document = apply(document, operation.getAsJsonObject());
      }
      return ByteString.copyFromUtf8(document.toString());
    } catch (JsonParseException
        | IllegalStateException
        | ClassCastException
        | UnsupportedOperationException
        | StackOverflowError e) {
      throw new UnfitException("the patch or the stored object is not valid JSON");
    }
  }

  /** Returns whether both texts have the same value; false if one is no JSON. */
  static boolean areEqual(ByteString one, ByteString other) {
    try {
      return parse(one).equals(parse(other));
    } catch (JsonParseException | StackOverflowError e) {
      return false;
    }
  }

  private static JsonElement parse(ByteString json) {
    return JsonParser.parseReader(new StringReader(json.toStringUtf8()));
  }

  private static JsonElement apply(JsonElement document, JsonObject operation)
      throws UnfitException {
    String name = text(operation, "op");
    String path = text(operation, "path");
    if (path.isEmpty()) {
      return switch (name) {
        case "add", "replace" -> value(operation);
        case "test" -> tested(document, operation);
        default ->
            throw new UnfitException(
                "operation \"" + name + "\" is not allowed on the whole document");
      };
    }
    int slash = path.lastIndexOf('/');
    JsonElement parent = document;
    if (slash > 0) {
      for (String token : path.substring(1, slash).split("/", -1)) {
        parent = child(parent, unescaped(token));
      }
    }
    String last = unescaped(path.substring(slash + 1));
    switch (name) {
      case "add" -> add(parent, last, value(operation));
      case "replace" -> {
        child(parent, last);
        put(parent, last, value(operation));
      }
      case "remove" -> {
        child(parent, last);
        remove(parent, last);
      }
      case "test" -> tested(child(parent, last), operation);
      default -> throw new UnfitException("there is no operation \"" + name + "\"");
    }
    return document;
  }

  private static JsonElement tested(JsonElement current, JsonObject operation)
      throws UnfitException {
    if (!current.equals(value(operation))) {
      throw new UnfitException("a test failed");
    }
    return current;
  }

  private static void add(JsonElement parent, String token, JsonElement value)
      throws UnfitException {
    if (!(parent instanceof JsonArray array)) {
      put(parent, token, value);
      return;
    }
    int at = token.equals("-") ? array.size() : parseIndex(token, array.size());
    array.add(value);
    for (int i = array.size() - 1; i > at; i--) {
      array.set(i, array.get(i - 1));
    }
    array.set(at, value);
  }

  private static void put(JsonElement parent, String token, JsonElement value)
      throws UnfitException {
    if (parent instanceof JsonArray array) {
      array.set(parseIndex(token, array.size() - 1), value);
    } else if (parent instanceof JsonObject object) {
      object.add(token, value);
    } else {
      throw new UnfitException("nothing can be put into a value");
    }
  }

  private static void remove(JsonElement parent, String token) throws UnfitException {
    if (parent instanceof JsonArray array) {
      array.remove(parseIndex(token, array.size() - 1));
    } else if (parent instanceof JsonObject object) {
      object.remove(token);
    }
  }

  private static JsonElement child(JsonElement parent, String token) throws UnfitException {
    @Nullable JsonElement child = null;
    if (parent instanceof JsonArray array) {
      child = array.get(parseIndex(token, array.size() - 1));
    } else if (parent instanceof JsonObject object) {
      child = object.get(token);
    }
    if (child == null) {
      throw new UnfitException("the path does not exist");
    }
    return child;
  }

  /** Parses an array index: digits, without leading zeros. */
  private static int parseIndex(String token, int last) throws UnfitException {
    boolean isNumber =
        !token.isEmpty()
            && token.length() <= 9
            && token.chars().allMatch(digit -> digit >= '0' && digit <= '9')
            && (token.length() == 1 || token.charAt(0) != '0');
    int index = isNumber ? Integer.parseInt(token) : -1;
    if (index < 0 || index > last) {
      throw new UnfitException("an array index is out of range");
    }
    return index;
  }

  private static String unescaped(String token) {
    return token.replace("~1", "/").replace("~0", "~");
  }

  private static String text(JsonObject operation, String member) throws UnfitException {
    @Nullable JsonElement text = operation.get(member);
    if (text == null || !text.isJsonPrimitive()) {
      throw new UnfitException("an operation without " + member);
    }
    return text.getAsString();
  }

  private static JsonElement value(JsonObject operation) throws UnfitException {
    @Nullable JsonElement value = operation.get("value");
    if (value == null) {
      throw new UnfitException("an operation without a value");
    }
    return value;
  }
}
