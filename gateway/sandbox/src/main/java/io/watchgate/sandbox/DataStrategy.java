package io.watchgate.sandbox;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Strategy of config maps and secrets. */
final class DataStrategy extends TypeStrategy {
  private static final Pattern KEY = Pattern.compile("[-._a-zA-Z0-9]+");
  private static final int MAX_KEY = 253;
  private static final int MAX_DATA = 1 << 20;
  private static final String KEY_WRONG =
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g."
          + " 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is"
          + " '[-._a-zA-Z0-9]+')";

  private final Kind kind;

  /** The type: config map or secret. */
  enum Kind {
    CONFIG_MAP,
    SECRET
  }

  DataStrategy(Kind kind) {
    super(NameRule.SUBDOMAIN);
    this.kind = kind;
  }

  @Override
  @Nullable String shapeError(JsonObject object) {
    JsonObject data = JsonTree.object(object, kind == Kind.SECRET ? "data" : "binaryData");
    if (data != null) {
      for (String key : data.keySet()) {
        if (decoded(data, key) == null) {
          return "illegal base64 data of \"" + key + "\"";
        }
      }
    }
    return null;
  }

  /** Returns the bytes of a value, as Go decodes it: with line breaks, and not without padding. */
  private static byte @Nullable [] decoded(JsonObject data, String key) {
    String text = JsonTree.text(data, key).replace("\n", "").replace("\r", "");
    try {
      return text.length() % 4 == 0 ? Base64.getDecoder().decode(text) : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private boolean isBinary(String part) {
    return part.equals("binaryData") || kind == Kind.SECRET;
  }

  @Override
  void defaults(JsonObject object) {
    JsonObject written = JsonTree.object(object, "stringData");
    if (kind == Kind.SECRET) {
      if (written != null) {
        JsonObject data = JsonTree.objectOrNew(object, "data");
        for (String key : written.keySet()) {
          byte[] value = JsonTree.text(written, key).getBytes(StandardCharsets.UTF_8);
          data.addProperty(key, Base64.getEncoder().encodeToString(value));
        }
        object.remove("stringData");
      }
      JsonTree.defaultTo(object, "type", "Opaque");
    }
    for (String name : List.of("data", "binaryData")) {
      JsonObject data = JsonTree.object(object, name);
      if (data != null) {
        JsonObject sorted = new JsonObject();
        new TreeMap<>(data.asMap()).forEach(sorted::add);
        if (isBinary(name)) {
          for (String key : data.keySet()) {
            byte[] value = decoded(data, key);
            if (value != null) {
              sorted.addProperty(key, Base64.getEncoder().encodeToString(value));
            }
          }
        }
        object.add(name, sorted);
        if (sorted.isEmpty()) {
          object.remove(name);
        }
      }
    }
  }

  @Override
  void validate(JsonObject object, FieldErrors invalid) {
    long size = 0;
    for (String name : List.of("data", "binaryData")) {
      JsonObject data = JsonTree.object(object, name);
      if (data == null) {
        continue;
      }
      for (Map.Entry<String, JsonElement> entry : data.entrySet()) {
        String key = entry.getKey();
        if (key.length() > MAX_KEY || !KEY.matcher(key).matches() || key.equals(".")) {
          invalid.invalid(name + "[" + key + "]", key, KEY_WRONG);
        }
        byte[] value = isBinary(name) ? decoded(data, key) : null;
        size +=
            value != null
                ? value.length
                : JsonTree.text(data, key).getBytes(StandardCharsets.UTF_8).length;
      }
    }
    if (size > MAX_DATA) {
      invalid.tooLong(kind == Kind.SECRET ? "data" : "", MAX_DATA);
    }
  }

  @Override
  void validateUpdate(JsonObject now, JsonObject old, FieldErrors invalid) {
    if (kind == Kind.SECRET && !JsonTree.text(now, "type").equals(JsonTree.text(old, "type"))) {
      invalid.invalid("type", now.get("type"), "field is immutable");
    }
    if (!JsonTree.text(old, "immutable").equals("true")) {
      return;
    }
    if (!JsonTree.text(now, "immutable").equals("true")) {
      invalid.forbidden("immutable", "field is immutable when `immutable` is set");
    }
    for (String name : List.of("data", "binaryData")) {
      JsonObject wanted = JsonTree.object(now, name);
      JsonObject held = JsonTree.object(old, name);
      if (!ObjectNormalizer.isEqual(wanted, held)) {
        invalid.forbidden(name, "field is immutable when `immutable` is set");
      }
    }
  }
}
