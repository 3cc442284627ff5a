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

/** YAML as the JSON that it stands for. Aliases are bounded, so that a short text stays small. */
final class YamlBody {
  private static final int MAX_ALIASES = 50;

  private YamlBody() {}

  /** The text is no YAML, or none that JSON could say. */
  static final class Malformed extends Exception {
    private static final long serialVersionUID = 1;

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
      return value(new Load(settings).loadFromString(text));
    } catch (YamlEngineException e) {
      throw new Malformed("malformed YAML: " + firstLine(e));
    } catch (StackOverflowError e) {
      throw new Malformed("malformed YAML: nested too deeply");
    }
  }

  private static String firstLine(Exception e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }

  private static JsonElement value(@Nullable Object value) throws Malformed {
    return switch (value) {
      case null -> JsonNull.INSTANCE;
      case Map<?, ?> map -> object(map);
      case Iterable<?> list -> array(list);
      case String string -> new JsonPrimitive(string);
      case Boolean bool -> new JsonPrimitive(bool);
      case Number number -> number(number);
      default -> throw new Malformed("JSON has no " + value.getClass().getSimpleName());
    };
  }

  private static JsonElement number(Number number) throws Malformed {
    if (Double.isNaN(number.doubleValue()) || Double.isInfinite(number.doubleValue())) {
      throw new Malformed("JSON has no number " + number);
    }
    return new JsonPrimitive(number);
  }

  private static JsonElement object(Map<?, ?> map) throws Malformed {
    JsonObject object = new JsonObject();
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      object.add(String.valueOf(entry.getKey()), value(entry.getValue()));
    }
    return object;
  }

  private static JsonElement array(Iterable<?> list) throws Malformed {
    JsonArray array = new JsonArray();
    for (Object element : list) {
      array.add(value(element));
    }
    return array;
  }
}
