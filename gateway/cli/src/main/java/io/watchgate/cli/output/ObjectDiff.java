package io.watchgate.cli.output;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Differences between two states of an object, in document order, without {@code resourceVersion}
 * and {@code managedFields}, which change each time. Elements of a list that have names are
 * compared by name, as the apiserver merges them: a container inserted before another one is one
 * addition, and another order is a change of the names. A list of scalars is compared as one value.
 * Not thread-safe.
 */
final class ObjectDiff {
  private static final Set<String> NOISE =
      Set.of(".metadata.resourceVersion", ".metadata.managedFields");

  /** Keys that identify elements of lists in Kubernetes, in order of preference. */
  private static final List<String> NAMES =
      List.of("name", "type", "key", "mountPath", "uid", "ip", "containerPort", "port");

  private final List<FieldChange> changes = new ArrayList<>();

  private ObjectDiff() {}

  static List<FieldChange> between(JsonElement before, JsonElement after) {
    ObjectDiff diff = new ObjectDiff();
    diff.compare("", before, after);
    return diff.changes;
  }

  private void compare(String path, @Nullable JsonElement before, @Nullable JsonElement after) {
    if (NOISE.contains(path) || (before != null && before.equals(after))) {
      return;
    }
    if (before instanceof JsonObject one && after instanceof JsonObject other) {
      compareMembers(path, one, other);
    } else if (before instanceof JsonArray one && after instanceof JsonArray other) {
      compareElements(path, one, other);
    } else {
      changes.add(new FieldChange(path, before, after));
    }
  }

  private void compareMembers(String path, JsonObject before, JsonObject after) {
    Set<String> names = new LinkedHashSet<>(before.keySet());
    names.addAll(after.keySet());
    for (String name : names) {
      compare(path + member(name), before.get(name), after.get(name));
    }
  }

  private void compareElements(String path, JsonArray before, JsonArray after) {
    if (!isOfObjects(before) || !isOfObjects(after)) {
      changes.add(new FieldChange(path, before, after));
      return;
    }
    for (String name : NAMES) {
      Map<JsonElement, JsonElement> one = byName(before, name);
      Map<JsonElement, JsonElement> other = byName(after, name);
      if (one.size() == before.size() && other.size() == after.size()) {
        Set<JsonElement> known = new LinkedHashSet<>(one.keySet());
        known.addAll(other.keySet());
        for (JsonElement value : known) {
          compare(path + "[?(@." + name + "==" + value + ")]", one.get(value), other.get(value));
        }
        compareOrder(path + "[*]." + name, one.keySet(), other.keySet());
        return;
      }
    }
    for (int i = 0; i < Math.max(before.size(), after.size()); i++) {
      compare(path + "[" + i + "]", at(before, i), at(after, i));
    }
  }

  /** Adds the names that both lists have, if their order differs: init containers run in theirs. */
  private void compareOrder(String path, Set<JsonElement> before, Set<JsonElement> after) {
    JsonArray one = new JsonArray();
    before.stream().filter(after::contains).forEach(one::add);
    JsonArray other = new JsonArray();
    after.stream().filter(before::contains).forEach(other::add);
    if (!one.equals(other)) {
      changes.add(new FieldChange(path, one, other));
    }
  }

  private static boolean isOfObjects(JsonArray array) {
    return array.asList().stream().allMatch(JsonObject.class::isInstance);
  }

  /**
   * Returns the elements by name; fewer than the array has if a name is missing, no scalar, or
   * duplicate.
   */
  private static Map<JsonElement, JsonElement> byName(JsonArray array, String name) {
    Map<JsonElement, JsonElement> elements = new LinkedHashMap<>();
    for (JsonElement element : array) {
      if (element instanceof JsonObject object && object.get(name) instanceof JsonPrimitive value) {
        elements.put(value, element);
      }
    }
    return elements;
  }

  private static @Nullable JsonElement at(JsonArray array, int index) {
    return index < array.size() ? array.get(index) : null;
  }

  private static String member(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (!Character.isLetterOrDigit(c) && c != '_' && c != '-' && c != '/') {
        return "['" + name.replace("\\", "\\\\").replace("'", "\\'") + "']";
      }
    }
    return name.isEmpty() ? "['']" : "." + name;
  }
}
