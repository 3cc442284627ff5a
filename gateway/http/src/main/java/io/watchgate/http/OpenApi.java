package io.watchgate.http;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.watchgate.cache.ApiResource;
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
                      JsonObject path = new JsonObject();
                      String name = name(group, version);
                      // kubectl caches a document as long as its hash stays the same.
                      String hash = Integer.toHexString(document(group, version).hashCode());
                      path.addProperty(
                          "serverRelativeURL", "/openapi/v3/" + name + "?hash=" + hash);
                      paths.add(name, path);
                    }));
    JsonObject root = new JsonObject();
    root.add("paths", paths);
    return root;
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
    JsonObject root = new JsonObject();
    root.addProperty("swagger", "2.0");
    root.add("info", info());
    root.add("paths", new JsonObject());
    root.add("definitions", definitions);
    return root;
  }

  private static JsonObject info() {
    JsonObject info = new JsonObject();
    info.addProperty("title", "Kubernetes");
    info.addProperty("version", ServerVersion.GIT_VERSION);
    return info;
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
    JsonObject components = new JsonObject();
    components.add("schemas", schemas);
    JsonObject root = new JsonObject();
    root.addProperty("openapi", "3.0.0");
    root.add("info", info());
    root.add("paths", paths);
    root.add("components", components);
    return root;
  }

  private static String objectPath(ApiResource type) {
    return "/"
        + name(type.group(), type.version())
        + (type.isNamespaced() ? "/namespaces/{namespace}/" : "/")
        + type.resource()
        + "/{name}";
  }

  private static JsonObject operations(ApiResource type) {
    JsonObject string = new JsonObject();
    string.addProperty("type", "string");
    JsonArray parameters = new JsonArray();
    for (String name : new String[] {"dryRun", "fieldManager", "fieldValidation"}) {
      JsonObject parameter = new JsonObject();
      parameter.addProperty("name", name);
      parameter.addProperty("in", "query");
      parameter.add("schema", string);
      parameters.add(parameter);
    }
    JsonObject reference = new JsonObject();
    reference.addProperty("$ref", SCHEMAS + schemaName(type));
    JsonObject ok = new JsonObject();
    ok.addProperty("description", "OK");
    ok.add("content", nested(Exchange.JSON, nested("schema", reference)));
    JsonObject patch = new JsonObject();
    patch.add("parameters", parameters);
    patch.add("responses", nested("200", ok));
    patch.addProperty("x-kubernetes-action", "patch");
    patch.add("x-kubernetes-group-version-kind", kind(type));
    JsonObject get = new JsonObject();
    get.add("responses", nested("200", ok));
    get.addProperty("x-kubernetes-action", "get");
    get.add("x-kubernetes-group-version-kind", kind(type));
    JsonObject operations = new JsonObject();
    operations.add("get", get);
    operations.add("patch", patch);
    return operations;
  }

  private static JsonObject nested(String name, JsonObject value) {
    JsonObject root = new JsonObject();
    root.add(name, value);
    return root;
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
    JsonObject schema = new JsonObject();
    schema.addProperty("type", "object");
    schema.addProperty("x-kubernetes-preserve-unknown-fields", true);
    schema.add("x-kubernetes-group-version-kind", kinds);
    return schema;
  }

  private static JsonObject kind(ApiResource type) {
    JsonObject kind = new JsonObject();
    kind.addProperty("group", type.group());
    kind.addProperty("version", type.version());
    kind.addProperty("kind", type.kind());
    return kind;
  }
}
