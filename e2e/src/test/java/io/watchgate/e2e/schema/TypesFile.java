package io.watchgate.e2e.schema;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Generator of the gateway's {@code types.txt} from an apiserver's {@code /openapi/v2}: names,
 * types and list strategies of the kinds below and of all types that they contain, without
 * descriptions.
 */
final class TypesFile {
  private static final List<String> KINDS =
      List.of(
          "v1 Binding",
          "v1 ConfigMap",
          "v1 Endpoints",
          "v1 Event",
          "v1 Namespace",
          "v1 Node",
          "v1 Pod",
          "v1 Secret",
          "v1 Service",
          "v1 ServiceAccount",
          "apiextensions.k8s.io/v1 CustomResourceDefinition",
          "apps/v1 DaemonSet",
          "apps/v1 Deployment",
          "apps/v1 ReplicaSet",
          "apps/v1 StatefulSet",
          "batch/v1 CronJob",
          "batch/v1 Job",
          "coordination.k8s.io/v1 Lease",
          "discovery.k8s.io/v1 EndpointSlice",
          "events.k8s.io/v1 Event");

  private static final Pattern LAST_THREE = Pattern.compile("[^.]+\\.[^.]+\\.[^.]+$");

  /** Definitions that are scalars, by their last three names; all others are structs. */
  private static final Map<String, String> SCALARS =
      Map.of(
          "api.resource.Quantity", "quantity",
          "meta.v1.Time", "time",
          "meta.v1.MicroTime", "time",
          "meta.v1.FieldsV1", "any",
          "util.intstr.IntOrString", "int-or-string",
          "apiextensions.v1.JSON", "any",
          "apiextensions.v1.JSONSchemaPropsOrArray", "any",
          "apiextensions.v1.JSONSchemaPropsOrBool", "any",
          "apiextensions.v1.JSONSchemaPropsOrStringArray", "any");

  private final Map<String, JsonNode> definitions = new TreeMap<>();
  private final Map<String, String> kinds = new TreeMap<>();

  private TypesFile(JsonNode openApi) {
    for (Map.Entry<String, JsonNode> definition : openApi.get("definitions").properties()) {
      String name = shortName(definition.getKey());
      for (JsonNode kind : definition.getValue().path("x-kubernetes-group-version-kind")) {
        String group = kind.get("group").textValue();
        kinds.put(
            (group.isEmpty() ? "" : group + "/")
                + kind.get("version").textValue()
                + " "
                + kind.get("kind").textValue(),
            name);
      }
      if (definitions.put(name, definition.getValue()) != null) {
        throw new IllegalStateException("two definitions end in " + name);
      }
    }
  }

  /** Returns the file's text. */
  static String of(JsonNode openApi, String version) {
    return new TypesFile(openApi).text(version);
  }

  private String text(String version) {
    List<String> blocks = new ArrayList<>();
    blocks.add(
        "# The built-in types as the /openapi/v2 of kube-apiserver "
            + version
            + " tells them. Made, not edited: see e2e's TypesFileTest.");
    blocks.add(
        KINDS.stream()
            .map(kind -> " " + kind + " " + definitionOf(kind))
            .collect(Collectors.joining("\n", "kinds\n", "")));
    for (String name : reached()) {
      blocks.add(
          Stream.concat(Stream.of(name), fields(definition(name)))
              .collect(Collectors.joining("\n")));
    }
    return String.join("\n\n", blocks) + "\n";
  }

  private String definitionOf(String kind) {
    String name = kinds.get(kind);
    if (name == null) {
      throw new IllegalStateException("the apiserver does not serve " + kind);
    }
    return name;
  }

  private JsonNode definition(String name) {
    return Objects.requireNonNull(definitions.get(name), name);
  }

  private Set<String> reached() {
    Set<String> reached = new TreeSet<>();
    Deque<String> open = new ArrayDeque<>(KINDS.stream().map(this::definitionOf).toList());
    while (!open.isEmpty()) {
      String name = open.pop();
      if (!SCALARS.containsKey(name) && reached.add(name)) {
        definition(name).findValuesAsText("$ref").stream()
            .filter(reference -> reference.startsWith("#/definitions/"))
            .map(TypesFile::shortName)
            .forEach(open::push);
      }
    }
    return reached;
  }

  private static Stream<String> fields(JsonNode definition) {
    List<String> required = new ArrayList<>();
    definition.path("required").forEach(name -> required.add(name.textValue()));
    return definition.path("properties").properties().stream()
        .map(
            field -> {
              String mark = required.contains(field.getKey()) ? "! " : " ";
              return " " + field.getKey() + mark + type(field.getValue()) + rules(field.getValue());
            })
        .sorted();
  }

  private static String type(JsonNode field) {
    if (field.has("$ref")) {
      String name = shortName(field.get("$ref").textValue());
      return SCALARS.getOrDefault(name, name);
    }
    String format = field.path("format").asText();
    return switch (field.path("type").asText()) {
      case "array" -> "[]" + type(field.get("items"));
      case "object" ->
          field.has("additionalProperties")
              ? "{}" + type(field.get("additionalProperties"))
              : "any";
      case "string" -> format.equals("byte") ? "bytes" : "string";
      case "boolean" -> "boolean";
      case "integer", "number" -> format;
      default -> throw new IllegalStateException("a type that is not known here: " + field);
    };
  }

  private static String rules(JsonNode field) {
    List<String> rules = new ArrayList<>();
    for (String strategy : field.path("x-kubernetes-patch-strategy").asText().split(",", -1)) {
      switch (strategy) {
        case "" -> {}
        case "merge", "replace" -> rules.add(strategy);
        case "retainKeys" -> rules.add("retain-keys");
        default -> throw new IllegalStateException("a strategy that is not known: " + strategy);
      }
    }
    if (field.has("x-kubernetes-patch-merge-key")) {
      rules.add("key=" + field.get("x-kubernetes-patch-merge-key").textValue());
    }
    List<String> unique = new ArrayList<>();
    field.path("x-kubernetes-list-map-keys").forEach(key -> unique.add(key.textValue()));
    if (!unique.isEmpty()) {
      rules.add("unique=" + String.join(",", unique));
    }
    return rules.stream().map(rule -> " " + rule).collect(Collectors.joining());
  }

  private static String shortName(String reference) {
    return LAST_THREE
        .matcher(reference.substring(reference.lastIndexOf('/') + 1))
        .results()
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("a name too short: " + reference))
        .group();
  }
}
