package io.watchgate.check.run;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.watchgate.check.Key;
import io.watchgate.check.Shape;
import io.watchgate.check.State;
import io.watchgate.check.Version;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Makes states of objects, as far as the judgement needs them. */
record ObjectStates(WatchedType type, List<Shape> shapes) {
  ObjectStates {
    shapes = List.copyOf(shapes);
  }

  State of(JsonObject object) {
    JsonObject metadata = object.getAsJsonObject("metadata");
    Key key = new Key(text(metadata, "namespace"), text(metadata, "name"));
    Map<String, String> labels = new HashMap<>();
    if (metadata.get("labels") instanceof JsonObject given) {
      given.asMap().forEach((label, value) -> labels.put(label, value.getAsString()));
    }
    Map<String, String> fields = new HashMap<>(type.fields(object));
    fields.put("metadata.name", key.name());
    fields.put("metadata.namespace", key.namespace());
    Map<Shape, String> contents = new HashMap<>();
    shapes.forEach(shape -> contents.put(shape, Digests.of(Shapes.apply(shape, object))));
    return new State(
        key,
        text(metadata, "uid"),
        Version.of(text(metadata, "resourceVersion")),
        labels,
        fields,
        contents);
  }

  static String text(JsonObject object, String member) {
    JsonElement value = object.get(member);
    return value == null ? "" : value.getAsString();
  }
}
