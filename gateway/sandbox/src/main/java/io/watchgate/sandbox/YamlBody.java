package io.watchgate.sandbox;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Converter of YAML to JSON. Aliases are limited, so that a short text cannot expand to a large
 * value.
 */
final class YamlBody {
  private static final int MAX_ALIASES = 50;

  /** Limit of nesting, as for JSON: a deeper value could not be read again. */
  private static final int MAX_DEPTH = 255;

  /** Characters that aliases may add to a text. */
  private static final long MAX_ALIAS_GROWTH = 64 << 10;

  /**
   * Characters and values that may still follow. Without aliases there are at most twice the
   * characters of the text.
   */
  private long remaining;

  private YamlBody(String text) {
    remaining = 2L * text.length() + MAX_ALIAS_GROWTH;
  }

  /** Thrown if the text is not YAML, or has no equivalent in JSON. */
  static final class Malformed extends Exception {
    Malformed(String message) {
      super(message);
    }
  }

  static JsonElement read(String text) throws Malformed {
    LoadSettings settings =
        LoadSettings.builder()
            .setAllowDuplicateKeys(false)
            .setMaxAliasesForCollections(MAX_ALIASES)
            .build();
    try {
      return new YamlBody(text).value(new Load(settings).loadFromString(text), 0);
    } catch (YamlEngineException e) {
      throw new Malformed("malformed YAML: " + firstLine(e));
    } catch (StackOverflowError e) {
      throw new Malformed("malformed YAML: nested too deeply");
    }
  }

  private static String firstLine(Exception e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }

  private JsonElement value(@Nullable Object value, int depth) throws Malformed {
    consume(1);
    return switch (value) {
      case null -> JsonNull.INSTANCE;
      case Map<?, ?> map -> object(map, depth);
      case Iterable<?> list -> array(list, depth);
      case String string -> {
        consume(string.length());
        yield new JsonPrimitive(string);
      }
      case Boolean bool -> new JsonPrimitive(bool);
      case Number number -> number(number);
      default -> throw new Malformed("JSON has no " + value.getClass().getSimpleName());
    };
  }

  private static void requireDepth(int depth) throws Malformed {
    if (depth >= MAX_DEPTH) {
      throw new Malformed("malformed YAML: nested too deeply");
    }
  }

  private void consume(int characters) throws Malformed {
    remaining -= characters;
    if (remaining < 0) {
      throw new Malformed("malformed YAML: its aliases make too much of it");
    }
  }

  private static JsonElement number(Number number) throws Malformed {
    if (Double.isNaN(number.doubleValue()) || Double.isInfinite(number.doubleValue())) {
      throw new Malformed("JSON has no number " + number);
    }
    return new JsonPrimitive(number);
  }

  private JsonElement object(Map<?, ?> map, int depth) throws Malformed {
    requireDepth(depth);
    JsonObject object = new JsonObject();
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      String name = String.valueOf(entry.getKey());
      consume(name.length());
      object.add(name, value(entry.getValue(), depth + 1));
    }
    return object;
  }

  private JsonElement array(Iterable<?> list, int depth) throws Malformed {
    requireDepth(depth);
    JsonArray array = new JsonArray();
    for (Object element : list) {
      array.add(value(element, depth + 1));
    }
    return array;
  }
}
