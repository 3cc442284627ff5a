package io.watchgate.select;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.watchgate.cache.ApiResource;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.json.JsonException;
import io.watchgate.json.KubeObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Recording of a real apiserver, made by {@code record.py}. */
final class Recorded {

  /** Answer to a list request: either an error or keys, sorted. */
  record Answer(
      String type, String labels, String fields, @Nullable String error, List<String> keys) {
    @Override
    public String toString() {
      return fields.isEmpty()
          ? type + " labels " + GoQuote.of(labels)
          : type + " fields " + GoQuote.of(fields);
    }
  }

  final Map<String, SelectableFields> types = new HashMap<>();
  final List<Answer> answers = new ArrayList<>();
  private final Map<String, List<byte[]>> objects = new HashMap<>();

  Recorded() {
    try (var file = Objects.requireNonNull(getClass().getResourceAsStream("recorded.jsonl"))) {
      ObjectMapper mapper = new ObjectMapper();
      new String(file.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .forEach(line -> read(parse(mapper, line)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JsonNode parse(ObjectMapper mapper, String line) {
    try {
      return mapper.readTree(line);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read(JsonNode line) {
    if (line.has("type")) {
      types.put(line.get("type").asText(), SelectableFields.of(definition(line)));
    } else if (line.has("object")) {
      objects
          .computeIfAbsent(line.get("of").asText(), type -> new ArrayList<>())
          .add(line.get("object").asText().getBytes(StandardCharsets.UTF_8));
    } else {
      answers.add(
          new Answer(
              line.get("list").asText(),
              line.path("labels").asText(""),
              line.path("fields").asText(""),
              line.has("error") ? line.get("error").asText() : null,
              texts(line.path("keys"))));
    }
  }

  private static TypeDefinition definition(JsonNode line) {
    return new TypeDefinition(
        new ApiResource(
            line.get("group").asText(),
            line.get("version").asText(),
            line.get("resource").asText(),
            line.get("kind").asText(),
            line.get("namespaced").asBoolean()
                ? ApiResource.Scope.NAMESPACED
                : ApiResource.Scope.CLUSTER),
        "",
        List.of(),
        List.of("list", "watch"),
        line.get("custom").asBoolean() ? "uid" : "",
        texts(line.get("selectable")));
  }

  private static List<String> texts(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).map(JsonNode::asText).toList();
  }

  SelectableFields type(String id) {
    return Objects.requireNonNull(types.get(id), id);
  }

  /** Returns the objects of a type, read for selecting. */
  List<KubeObject> objects(String type) {
    List<KubeObject> views = new ArrayList<>();
    for (byte[] object : objects.getOrDefault(type, List.of())) {
      try {
        views.add(KubeObject.read(object, type(type).paths()));
      } catch (JsonException e) {
        throw new IllegalStateException("recorded object of " + type, e);
      }
    }
    return views;
  }
}
