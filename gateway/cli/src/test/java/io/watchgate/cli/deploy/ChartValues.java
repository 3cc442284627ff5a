package io.watchgate.cli.deploy;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Values of the Helm chart with their descriptions, read from {@code values.yaml}. */
record ChartValues(List<Value> all) {
  private static final Pattern LINE =
      Pattern.compile("(?<indent> *)(?:# ?(?<comment>.*)|(?<key>\\w+):(?: (?<standard>.*))?)?");

  private static final String SCHEMA = "@schema ";

  private static final Gson PRETTY =
      new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

  /**
   * Value of the chart.
   *
   * @param path names from the outside in, separated by dots
   * @param standard default, as it is written in the file
   * @param schema additions to the schema that the default implies
   */
  record Value(String path, String standard, String description, JsonObject schema) {
    private JsonObject fullSchema() {
      JsonObject full = new JsonObject();
      full.addProperty("description", description);
      JsonObject text = new JsonObject();
      text.addProperty("type", "string");
      switch (standard) {
        case "true", "false" -> full.addProperty("type", "boolean");
        case "[]" -> {
          full.addProperty("type", "array");
          full.add("items", text);
        }
        case "{}" -> {
          full.addProperty("type", "object");
          full.add("additionalProperties", text);
        }
        default -> full.addProperty("type", standard.matches("-?[0-9]+") ? "integer" : "string");
      }
      schema.entrySet().forEach(each -> full.add(each.getKey(), each.getValue()));
      return full;
    }
  }

  /**
   * Reads the file.
   *
   * @throws IllegalArgumentException if a value has no description, or a line has another form
   */
  static ChartValues parse(String yaml) {
    List<Value> values = new ArrayList<>();
    List<String> path = new ArrayList<>();
    List<String> comments = new ArrayList<>();
    for (String line : yaml.lines().toList()) {
      Matcher matcher = LINE.matcher(line);
      if (!matcher.matches()) {
        throw new IllegalArgumentException("values.yaml: neither a comment nor a value: " + line);
      }
      if (matcher.group("comment") != null) {
        comments.add(matcher.group("comment"));
        continue;
      }
      if (matcher.group("key") != null) {
        path.subList(matcher.group("indent").length() / 2, path.size()).clear();
        path.add(matcher.group("key"));
        if (matcher.group("standard") != null) {
          values.add(value(String.join(".", path), matcher.group("standard"), comments));
        }
      }
      comments.clear();
    }
    return new ChartValues(values);
  }

  private static Value value(String path, String standard, List<String> comments) {
    JsonObject schema = new JsonObject();
    List<String> description = new ArrayList<>();
    for (String comment : comments) {
      if (comment.startsWith(SCHEMA)) {
        schema = JsonParser.parseString(comment.substring(SCHEMA.length())).getAsJsonObject();
      } else {
        description.add(comment);
      }
    }
    if (description.isEmpty()) {
      throw new IllegalArgumentException("values.yaml: no comment above " + path);
    }
    return new Value(path, standard, String.join(" ", description), schema);
  }

  /** Returns the rows of a table in Markdown, below its head. */
  String table() {
    return all.stream()
        .map(
            value ->
                "| `%s` | `%s` | %s |\n"
                    .formatted(
                        value.path(), value.standard(), value.description().replace("|", "\\|")))
        .collect(Collectors.joining("", "| value | default | meaning |\n|---|---|---|\n", ""));
  }

  /** Returns the JSON schema, which refuses names that are not values. */
  String schema() {
    JsonObject root = object();
    root.addProperty("$schema", "https://json-schema.org/draft/2020-12/schema");
    for (Value value : all) {
      List<String> names = Arrays.asList(value.path().split("\\.", -1));
      JsonObject at = root;
      for (String name : names.subList(0, names.size() - 1)) {
        if (!at.getAsJsonObject("properties").has(name)) {
          add(at, name, object());
        }
        at = at.getAsJsonObject("properties").getAsJsonObject(name);
      }
      add(at, names.getLast(), value.fullSchema());
    }
    // Helm adds it if the chart is a part of another one.
    JsonObject global = new JsonObject();
    global.addProperty("type", "object");
    root.getAsJsonObject("properties").add("global", global);
    return PRETTY.toJson(root) + "\n";
  }

  private static JsonObject object() {
    JsonObject object = new JsonObject();
    object.addProperty("type", "object");
    object.addProperty("additionalProperties", false);
    // A value that is set to null is missing.
    object.add("required", new JsonArray());
    object.add("properties", new JsonObject());
    return object;
  }

  private static void add(JsonObject parent, String name, JsonObject schema) {
    parent.getAsJsonObject("properties").add(name, schema);
    parent.getAsJsonArray("required").add(name);
  }
}
