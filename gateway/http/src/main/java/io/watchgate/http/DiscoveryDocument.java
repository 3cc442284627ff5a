package io.watchgate.http;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.watchgate.cache.ApiResource;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.http.ServedResource.Subresource;
import java.util.List;

/** Documents of the older form of discovery. */
final class DiscoveryDocument {
  private final ResourceIndex resources;

  DiscoveryDocument(ResourceIndex resources) {
    this.resources = resources;
  }

  /** Returns the document of {@code /}. */
  JsonObject paths() {
    JsonArray paths = new JsonArray();
    resources
        .versions()
        .forEach(
            (group, versions) -> {
              String above = group.isEmpty() ? "/api" : "/apis/" + group;
              paths.add(above);
              versions.forEach(version -> paths.add(above + "/" + version));
            });
    for (String path :
        List.of(
            "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version")) {
      paths.add(path);
    }
    return JsonObjects.of("paths", paths);
  }

  /**
   * Returns the document of {@code /api}.
   *
   * @param address address that the client used for this server
   */
  JsonObject coreVersions(String address) {
    JsonArray servers = new JsonArray();
    servers.add(JsonObjects.of("clientCIDR", "0.0.0.0/0", "serverAddress", address));
    return JsonObjects.of(
        "kind",
        "APIVersions",
        "versions",
        array(resources.versions().getOrDefault("", List.of())),
        "serverAddressByClientCIDRs",
        servers);
  }

  /** Returns the document of {@code /apis}. */
  JsonObject groups() {
    JsonArray groups = new JsonArray();
    resources
        .versions()
        .forEach(
            (group, versions) -> {
              if (!group.isEmpty()) {
                groups.add(group(new JsonObject(), group, versions));
              }
            });
    return JsonObjects.of("kind", "APIGroupList", "apiVersion", "v1", "groups", groups);
  }

  /** Returns the document of {@code /apis/GROUP}. */
  JsonObject group(String group) {
    JsonObject root = JsonObjects.of("kind", "APIGroup", "apiVersion", "v1");
    return group(root, group, resources.versions().getOrDefault(group, List.of()));
  }

  private static JsonObject group(JsonObject root, String group, List<String> versions) {
    root.addProperty("name", group);
    JsonArray all = new JsonArray();
    versions.forEach(version -> all.add(version(group, version)));
    root.add("versions", all);
    root.add("preferredVersion", version(group, versions.getFirst()));
    return root;
  }

  private static JsonObject version(String group, String version) {
    return JsonObjects.of("groupVersion", group + "/" + version, "version", version);
  }

  /** Returns the document of {@code /api/v1} or {@code /apis/GROUP/VERSION}. */
  JsonObject resources(String group, String version) {
    JsonArray all = new JsonArray();
    for (ServedResource resource : resources.of(group, version)) {
      all.add(resource(resource));
      resource.subresources().forEach(each -> all.add(subresource(resource, each)));
    }
    JsonObject root = JsonObjects.of("kind", "APIResourceList");
    if (!group.isEmpty()) {
      root.addProperty("apiVersion", "v1"); // an apiserver leaves it out for the core group
    }
    root.addProperty("groupVersion", group.isEmpty() ? version : group + "/" + version);
    root.add("resources", all);
    return root;
  }

  private static JsonObject resource(ServedResource resource) {
    TypeDefinition definition = resource.definition();
    ApiResource type = definition.type();
    JsonObject root =
        JsonObjects.of(
            "name", type.resource(),
            "singularName", definition.singular(),
            "namespaced", type.isNamespaced(),
            "kind", type.kind(),
            "verbs", array(definition.verbs()));
    addUnlessEmpty(root, "shortNames", definition.shortNames());
    addUnlessEmpty(root, "categories", resource.categories());
    return root;
  }

  private static JsonObject subresource(ServedResource resource, Subresource subresource) {
    ApiResource type = resource.definition().type();
    JsonObject root =
        JsonObjects.of(
            "name",
            type.resource() + "/" + subresource.name(),
            "singularName",
            "",
            "namespaced",
            type.isNamespaced());
    if (!subresource.group().equals(type.group())
        || !subresource.version().equals(type.version())) {
      root.addProperty("group", subresource.group());
      root.addProperty("version", subresource.version());
    }
    root.addProperty("kind", subresource.kind());
    root.add("verbs", array(subresource.verbs()));
    return root;
  }

  static void addUnlessEmpty(JsonObject root, String name, List<String> values) {
    if (!values.isEmpty()) {
      root.add(name, array(values));
    }
  }

  static JsonArray array(List<String> values) {
    JsonArray array = new JsonArray();
    values.forEach(array::add);
    return array;
  }
}
