package io.watchgate.e2e.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.watchgate.e2e.kube.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Random JSON patches with paths that exist in the object, and some that do not. */
final class RandomJsonPatch {
  /** Fields that cannot be changed; patches of them would test nothing else. */
  private static final List<String> FIXED =
      List.of(
          "/apiVersion",
          "/kind",
          "/status",
          "/metadata/name",
          "/metadata/namespace",
          "/metadata/uid",
          "/metadata/resourceVersion",
          "/metadata/generation",
          "/metadata/creationTimestamp",
          "/metadata/managedFields");

  private final RandomChoice choice;
  private final List<String> paths = new ArrayList<>();
  private final JsonNode object;

  RandomJsonPatch(RandomChoice choice, JsonNode object) {
    this.choice = choice;
    this.object = object;
    collect("", object);
  }

  ArrayNode patch() {
    ArrayNode patch = Json.object().putArray("patch");
    int operations = 1 + choice.below(2);
    if (choice.oneIn(2)) {
      addition(patch.addObject().put("op", "add"));
    }
    for (int i = 0; i < operations; i++) {
      operation(patch.addObject());
    }
    return patch;
  }

  private void operation(ObjectNode operation) {
    String path = path();
    JsonNode there = object.at(path);
    switch (choice.below(16)) {
      case 0, 1, 2 -> operation.put("op", "replace").set("value", alike(there));
      case 3, 4 -> operation.put("op", "remove");
      case 5, 6, 7 -> operation.put("op", "add").set("value", alike(there));
      case 8 -> operation.put("op", "test").set("value", there);
      case 9 -> operation.put("op", "test").set("value", alike(there));
      case 10, 11 -> operation.put("op", "copy").put("from", sibling(path));
      case 12, 13 -> operation.put("op", "move").put("from", sibling(path));
      case 14 -> operation.put("op", "add").set("value", TextNode.valueOf("x"));
      default -> odd(operation);
    }
    if (!operation.has("path")) {
      operation.put("path", path);
    }
  }

  /** Adds a value where it is always valid; without additions the object would shrink. */
  private void addition(ObjectNode add) {
    String map = "/metadata/" + choice.of(List.of("labels", "annotations"));
    String key = choice.of(List.of("a", "b", "c", "d"));
    if (object.at(map).isMissingNode()) {
      add.put("path", map).putObject("value").put(key, "x").put("e", "y");
    } else if (choice.oneIn(3) && !object.at("/metadata/finalizers").isMissingNode()) {
      add.put("path", "/metadata/finalizers/0").put("value", "x.io/" + key);
    } else {
      add.put("path", map + "/" + key).put("value", Integer.toString(choice.below(100)));
    }
  }

  private void odd(ObjectNode operation) {
    switch (choice.below(6)) {
      case 0 -> operation.put("op", "frob");
      case 1 -> operation.put("op", "add").put("path", "/metadata/nothing/here").put("value", 1);
      case 2 -> operation.put("op", "remove").put("path", "/metadata/nothing");
      case 3 ->
          operation.put("op", "replace").put("path", "/metadata/labels/new").put("value", "x");
      case 4 -> operation.put("op", "copy").put("from", "/metadata/labels/nothing");
      default -> operation.put("value", 1);
    }
  }

  /** Returns an existing path, or one beside it: a new name, the end of a list, a wrong index. */
  private String path() {
    String path = choice.of(paths);
    String holder = path.substring(0, path.lastIndexOf('/'));
    return switch (choice.below(8)) {
      case 0 -> holder + "/-";
      case 1 -> holder + "/" + (choice.below(5) - 2);
      case 2 -> holder + "/new~1" + choice.below(3);
      default -> path;
    };
  }

  /** Returns a path of the same parent, so that the value usually fits. */
  private String sibling(String path) {
    String holder = path.substring(0, path.lastIndexOf('/') + 1);
    List<String> siblings =
        paths.stream()
            .filter(other -> other.startsWith(holder) && other.indexOf('/', holder.length()) < 0)
            .toList();
    return siblings.isEmpty() || choice.oneIn(10) ? choice.of(paths) : choice.of(siblings);
  }

  private JsonNode alike(JsonNode value) {
    if (value.isTextual()) {
      return TextNode.valueOf(choice.of(List.of("a", "b", "x.io/c")));
    }
    if (value.isInt()) {
      return Json.parse(Integer.toString(choice.below(100)));
    }
    return value.isMissingNode() ? TextNode.valueOf("x.io/d") : value;
  }

  private void collect(String path, JsonNode value) {
    if (FIXED.contains(path)) {
      return;
    }
    if (!path.isEmpty()) {
      paths.add(path);
    }
    if (value instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        collect(path + "/" + i, array.get(i));
      }
    }
    for (Map.Entry<String, JsonNode> member : value.properties()) {
      String name = member.getKey().replace("~", "~0").replace("/", "~1");
      collect(path + "/" + name, member.getValue());
    }
  }
}
