package io.watchgate.e2e.differential;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Description of the first difference between two JSON values; null if they are equal. */
final class Difference {
  private static final int SHOWN = 200;

  private Difference() {}

  static @Nullable String between(JsonNode apiserver, JsonNode gateway) {
    return between("", apiserver, gateway);
  }

  /** Compares objects by key. */
  static @Nullable String between(Map<String, JsonNode> apiserver, Map<String, JsonNode> gateway) {
    Set<String> keys = new TreeSet<>(apiserver.keySet());
    keys.addAll(gateway.keySet());
    int differing = 0;
    String first = "";
    for (String key : keys) {
      JsonNode expected = apiserver.get(key);
      JsonNode actual = gateway.get(key);
      String difference =
          expected == null || actual == null
              ? "only the " + (expected == null ? "gateway" : "apiserver") + " has it"
              : between(expected, actual);
      if (difference != null && differing++ == 0) {
        first = key + ": " + difference;
      }
    }
    return differing == 0
        ? null
        : differing + " of " + keys.size() + " objects differ, the first of them " + first;
  }

  private static @Nullable String between(String at, JsonNode apiserver, JsonNode gateway) {
    if (apiserver.equals(gateway)) {
      return null;
    }
    if (apiserver.isObject() && gateway.isObject()) {
      Set<String> names = new TreeSet<>();
      apiserver.fieldNames().forEachRemaining(names::add);
      gateway.fieldNames().forEachRemaining(names::add);
      for (String name : names) {
        String difference = between(at + "/" + name, apiserver.path(name), gateway.path(name));
        if (difference != null) {
          return difference;
        }
      }
    } else if (apiserver.isArray() && gateway.isArray()) {
      for (int i = 0; i < Math.max(apiserver.size(), gateway.size()); i++) {
        String difference = between(at + "/" + i, apiserver.path(i), gateway.path(i));
        if (difference != null) {
          return difference;
        }
      }
    }
    return "at "
        + at
        + ": the apiserver has "
        + shown(apiserver)
        + ", the gateway "
        + shown(gateway);
  }

  private static String shown(JsonNode value) {
    if (value.isMissingNode()) {
      return "nothing";
    }
    String text = value.toString();
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
  }
}
