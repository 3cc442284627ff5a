package io.watchgate.e2e.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.watchgate.e2e.kube.Json;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Pattern;

/** JSON without the values that each server generates itself. */
final class MaskedJson {
  /** Fields whose values differ between servers; only their presence is compared. */
  private static final Set<String> MADE_UP =
      Set.of("uid", "resourceVersion", "continue", "clusterIP");

  private static final Pattern TIME = Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,15}Z");
  private static final Pattern UID =
      Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");

  /** Version of the object in an error message. */
  private static final Pattern VERSION = Pattern.compile("(?<=in record \\()[0-9]+(?=\\))");

  private MaskedJson() {}

  static JsonNode of(JsonNode value) {
    return switch (value) {
      case ObjectNode object -> {
        ObjectNode masked = Json.object();
        object
            .properties()
            .forEach(
                member -> {
                  if (!member.getKey().equals("managedFields")) {
                    masked.set(member.getKey(), member(member.getKey(), member.getValue()));
                  }
                });
        yield masked;
      }
      case ArrayNode array -> {
        ArrayNode masked = Json.object().putArray("items");
        array.forEach(item -> masked.add(of(item)));
        yield masked;
      }
      case TextNode text -> TextNode.valueOf(text(text.textValue()));
      default -> value;
    };
  }

  private static JsonNode member(String name, JsonNode value) {
    if (name.equals("items") && value.isNull()) {
      return Json.object().putArray("items"); // of an empty list of partial metadata
    }
    if (name.equals("causes") && value.isArray()) {
      return distinct(of(value)); // an apiserver repeats the message for each of its passes
    }
    if (MADE_UP.contains(name) && value.isTextual() && !value.textValue().isEmpty()) {
      return TextNode.valueOf("<" + name + ">");
    }
    if (name.equals("clusterIPs") && value.isArray() && !value.isEmpty()) {
      return TextNode.valueOf("<clusterIPs>");
    }
    return of(value);
  }

  private static ArrayNode distinct(JsonNode causes) {
    Set<JsonNode> known = new LinkedHashSet<>();
    causes.forEach(known::add);
    return Json.object().putArray("items").addAll(known);
  }

  static String text(String text) {
    String known = VERSION.matcher(text).replaceAll("<version>");
    return UID.matcher(TIME.matcher(known).replaceAll("<time>")).replaceAll("<uid>");
  }
}
