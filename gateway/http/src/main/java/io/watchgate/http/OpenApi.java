package io.watchgate.http;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.watchgate.cache.ApiResource;
import java.util.List;
import java.util.Optional;

/**
 * OpenAPI documents for clients that read them before they write. kubectl checks in v3 whether the
 * server validates fields itself, and else requires v2 in protobuf. The schemas of objects are
 * empty.
 */
final class OpenApi {
  private static final String SCHEMAS = "#/components/schemas/";

  private final ResourceIndex resources;

  OpenApi(ResourceIndex resources) {
    this.resources = resources;
  }

  /** Returns the document of {@code /openapi/v3}. */
  JsonObject index() {
    JsonObject paths = new JsonObject();
    resources
        .versions()
        .forEach(
            (group, versions) ->
                versions.forEach(
                    version -> {
                      String name = name(group, version);
                      // kubectl caches a document as long as its hash stays the same.
                      String hash = Integer.toHexString(document(group, version).hashCode());
                      String url = "/openapi/v3/" + name + "?hash=" + hash;
                      paths.add(name, JsonObjects.of("serverRelativeURL", url));
                    }));
    return JsonObjects.of("paths", paths);
  }

  private static String name(String group, String version) {
    return group.isEmpty() ? "api/" + version : "apis/" + group + "/" + version;
  }

  /** Returns {@code /openapi/v2} with the kinds, for clients that read no other document. */
  JsonObject swagger() {
    JsonObject definitions = new JsonObject();
    for (ServedResource resource : resources.all()) {
      ApiResource type = ResourceIndex.type(resource);
      definitions.add(schemaName(type), schema(type));
    }
    return JsonObjects.of(
        "swagger", "2.0", "info", info(), "paths", new JsonObject(), "definitions", definitions);
  }

  private static JsonObject info() {
    return JsonObjects.of("title", "Kubernetes", "version", ServerVersion.GIT_VERSION);
  }

  /** Returns {@code v3/api/v1} or {@code v3/apis/GROUP/VERSION}; empty for any other path. */
  Optional<JsonObject> document(String path) {
    return resources.versions().entrySet().stream()
        .flatMap(
            entry ->
                entry.getValue().stream()
                    .filter(version -> path.equals("v3/" + name(entry.getKey(), version)))
                    .map(version -> document(entry.getKey(), version)))
        .findFirst();
  }

  private JsonObject document(String group, String version) {
    JsonObject paths = new JsonObject();
    JsonObject schemas = new JsonObject();
    for (ServedResource resource : resources.of(group, version)) {
      ApiResource type = ResourceIndex.type(resource);
      paths.add(objectPath(type), operations(type));
      schemas.add(schemaName(type), schema(type));
    }
    return JsonObjects.of(
        "openapi",
        "3.0.0",
        "info",
        info(),
        "paths",
        paths,
        "components",
        JsonObjects.of("schemas", schemas));
  }

  private static String objectPath(ApiResource type) {
    return "/"
        + name(type.group(), type.version())
        + (type.isNamespaced() ? "/namespaces/{namespace}/" : "/")
        + type.resource()
        + "/{name}";
  }

  private static JsonObject operations(ApiResource type) {
    JsonObject string = JsonObjects.of("type", "string");
    JsonArray parameters = new JsonArray();
    for (String name : List.of("dryRun", "fieldManager", "fieldValidation")) {
      parameters.add(JsonObjects.of("name", name, "in", "query", "schema", string));
    }
    JsonObject reference = JsonObjects.of("$ref", SCHEMAS + schemaName(type));
    JsonObject content = JsonObjects.of(ApiExchange.JSON, JsonObjects.of("schema", reference));
    JsonObject ok = JsonObjects.of("description", "OK", "content", content);
    JsonObject patch =
        JsonObjects.of(
            "parameters",
            parameters,
            "responses",
            JsonObjects.of("200", ok),
            "x-kubernetes-action",
            "patch",
            "x-kubernetes-group-version-kind",
            kind(type));
    JsonObject get =
        JsonObjects.of(
            "responses", JsonObjects.of("200", ok),
            "x-kubernetes-action", "get",
            "x-kubernetes-group-version-kind", kind(type));
    return JsonObjects.of("get", get, "patch", patch);
  }

  private static String schemaName(ApiResource type) {
    return (type.group().isEmpty() ? "core" : type.group())
        + "."
        + type.version()
        + "."
        + type.kind();
  }

  private static JsonObject schema(ApiResource type) {
    JsonArray kinds = new JsonArray();
    kinds.add(kind(type));
    return JsonObjects.of(
        "type",
        "object",
        "x-kubernetes-preserve-unknown-fields",
        true,
        "x-kubernetes-group-version-kind",
        kinds);
  }

  private static JsonObject kind(ApiResource type) {
    return JsonObjects.of("group", type.group(), "version", type.version(), "kind", type.kind());
  }
}
