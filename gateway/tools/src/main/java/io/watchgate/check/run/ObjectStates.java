package io.watchgate.check.run;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.watchgate.check.CheckedVersion;
import io.watchgate.check.ProjectionSpec;
import io.watchgate.check.RecordedKey;
import io.watchgate.check.RecordedState;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Factory of object states with the data that checks need. */
record ObjectStates(WatchedType type, List<ProjectionSpec> shapes) {
  ObjectStates {
    shapes = List.copyOf(shapes);
  }

  RecordedState of(JsonObject object) {
    JsonObject metadata = object.getAsJsonObject("metadata");
    RecordedKey key = new RecordedKey(text(metadata, "namespace"), text(metadata, "name"));
    Map<String, String> labels = new HashMap<>();
    if (metadata.get("labels") instanceof JsonObject given) {
      given.asMap().forEach((label, value) -> labels.put(label, value.getAsString()));
    }
    Map<String, String> fields = new HashMap<>(type.fields(object));
    fields.put("metadata.name", key.name());
    fields.put("metadata.namespace", key.namespace());
    Map<ProjectionSpec, String> contents = new HashMap<>();
    shapes.forEach(
        projection ->
            contents.put(projection, JsonDigest.of(ProjectionSpecs.apply(projection, object))));
    return new RecordedState(key, text(metadata, "uid"), version(object), labels, fields, contents);
  }

  /** Parses the response of an apiserver. */
  static JsonObject parse(byte[] json) {
    return JsonParser.parseString(new String(json, StandardCharsets.UTF_8)).getAsJsonObject();
  }

  /** Returns the resourceVersion of an object or a list. */
  static CheckedVersion version(JsonObject object) {
    return CheckedVersion.of(text(object.getAsJsonObject("metadata"), "resourceVersion"));
  }

  static String text(JsonObject object, String member) {
    JsonElement value = object.get(member);
    return value == null ? "" : value.getAsString();
  }
}
