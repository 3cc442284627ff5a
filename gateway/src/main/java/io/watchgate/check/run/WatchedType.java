package io.watchgate.check.run;

import com.google.gson.JsonObject;
import java.util.Map;

/** A type that a run writes and watches. */
enum WatchedType {
  CONFIGMAPS("configmaps", "ConfigMap"),
  PODS("pods", "Pod");

  private final String plural;
  private final String kind;

  WatchedType(String plural, String kind) {
    this.plural = plural;
    this.kind = kind;
  }

  String plural() {
    return plural;
  }

  String kind() {
    return kind;
  }

  /** The path of all of them. */
  String everywhere() {
    return "api/v1/" + plural;
  }

  String in(String namespace) {
    return "api/v1/namespaces/" + namespace + "/" + plural;
  }

  /** What field selectors see of an object, apart from its name and namespace. */
  Map<String, String> fields(JsonObject object) {
    return switch (this) {
      case CONFIGMAPS -> Map.of();
      case PODS ->
          Map.of(
              "spec.nodeName", text(object, "spec", "nodeName"),
              "status.phase", text(object, "status", "phase"));
    };
  }

  /** What is not there is empty to a field selector. */
  private static String text(JsonObject object, String part, String member) {
    return object.get(part) instanceof JsonObject found ? ObjectStates.text(found, member) : "";
  }
}
