package io.watchgate.http;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.watchgate.cache.ApiResource;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.http.AcceptHeader.Clause;
import io.watchgate.http.ServedResource.Subresource;
import java.util.List;

/**
 * Aggregated discovery (1.30 and later): one document for the core group and one for all other
 * groups.
 */
final class AggregatedDiscoveryDocument {
  /** Media type of the request and of the response. */
  static final String MEDIA_TYPE =
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

  private final ResourceIndex resources;

  AggregatedDiscoveryDocument(ResourceIndex resources) {
    this.resources = resources;
  }

  /** Returns whether a client prefers this form to the older one. */
  static boolean isWanted(AcceptHeader accept) {
    for (Clause clause : accept.clauses()) {
      if (!clause.acceptsJson()) {
        continue;
      }
      if (clause.parameter("as").isEmpty()) {
        return false;
      }
      if (clause.parameter("as").equals("APIGroupDiscoveryList")
          && clause.parameter("g").equals("apidiscovery.k8s.io")
          && clause.parameter("v").equals("v2")) {
        return true;
      }
    }
    return false;
  }

  /** Returns the document of {@code /api}. */
  JsonObject core() {
    JsonArray items = new JsonArray();
    List<String> versions = resources.versions().get("");
    if (versions != null) {
      items.add(group("", versions));
    }
    return list(items);
  }

  /** Returns the document of {@code /apis}. */
  JsonObject groups() {
    JsonArray items = new JsonArray();
    resources
        .versions()
        .forEach(
            (group, versions) -> {
              if (!group.isEmpty()) {
                items.add(group(group, versions));
              }
            });
    return list(items);
  }

  private static JsonObject list(JsonArray items) {
    return JsonObjects.of(
        "kind",
        "APIGroupDiscoveryList",
        "apiVersion",
        "apidiscovery.k8s.io/v2",
        "metadata",
        new JsonObject(),
        "items",
        items);
  }

  private JsonObject group(String group, List<String> versions) {
    JsonArray all = new JsonArray();
    for (String version : versions) {
      JsonArray served = new JsonArray();
      resources.of(group, version).forEach(resource -> served.add(resource(resource)));
      all.add(JsonObjects.of("version", version, "resources", served, "freshness", "Current"));
    }
    JsonObject metadata = group.isEmpty() ? new JsonObject() : JsonObjects.of("name", group);
    return JsonObjects.of("metadata", metadata, "versions", all);
  }

  private static JsonObject resource(ServedResource resource) {
    TypeDefinition definition = resource.definition();
    ApiResource type = definition.type();
    // An apiserver leaves group and version empty if they are those of a built-in type.
    JsonObject kind =
        definition.isCustom()
            ? kind(type.group(), type.version(), type.kind())
            : kind("", "", type.kind());
    JsonObject root =
        JsonObjects.of(
            "resource", type.resource(),
            "responseKind", kind,
            "scope", type.isNamespaced() ? "Namespaced" : "Cluster",
            "singularResource", definition.singular(),
            "verbs", DiscoveryDocument.array(definition.verbs()));
    DiscoveryDocument.addUnlessEmpty(root, "shortNames", definition.shortNames());
    DiscoveryDocument.addUnlessEmpty(root, "categories", resource.categories());
    if (!resource.subresources().isEmpty()) {
      JsonArray all = new JsonArray();
      resource.subresources().forEach(each -> all.add(subresource(definition, each)));
      root.add("subresources", all);
    }
    return root;
  }

  private static JsonObject subresource(TypeDefinition definition, Subresource subresource) {
    ApiResource type = definition.type();
    boolean own =
        !definition.isCustom()
            && subresource.group().equals(type.group())
            && subresource.version().equals(type.version());
    JsonObject kind =
        own
            ? kind("", "", subresource.kind())
            : kind(subresource.group(), subresource.version(), subresource.kind());
    return JsonObjects.of(
        "subresource", subresource.name(),
        "responseKind", kind,
        "verbs", DiscoveryDocument.array(subresource.verbs()));
  }

  private static JsonObject kind(String group, String version, String kind) {
    return JsonObjects.of("group", group, "version", version, "kind", kind);
  }
}
