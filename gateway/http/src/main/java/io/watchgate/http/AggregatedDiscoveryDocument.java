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
    JsonObject root = new JsonObject();
    root.addProperty("kind", "APIGroupDiscoveryList");
    root.addProperty("apiVersion", "apidiscovery.k8s.io/v2");
    root.add("metadata", new JsonObject());
    root.add("items", items);
    return root;
  }

  private JsonObject group(String group, List<String> versions) {
    JsonArray all = new JsonArray();
    for (String version : versions) {
      JsonArray served = new JsonArray();
      resources.of(group, version).forEach(resource -> served.add(resource(resource)));
      JsonObject root = new JsonObject();
      root.addProperty("version", version);
      root.add("resources", served);
      root.addProperty("freshness", "Current");
      all.add(root);
    }
    JsonObject metadata = new JsonObject();
    if (!group.isEmpty()) {
      metadata.addProperty("name", group);
    }
    JsonObject root = new JsonObject();
    root.add("metadata", metadata);
    root.add("versions", all);
    return root;
  }

  private static JsonObject resource(ServedResource resource) {
    TypeDefinition definition = resource.definition();
    ApiResource type = definition.type();
    JsonObject root = new JsonObject();
    root.addProperty("resource", type.resource());
    // An apiserver leaves group and version empty if they are those of a built-in type.
    root.add(
        "responseKind",
        definition.isCustom()
            ? kind(type.group(), type.version(), type.kind())
            : kind("", "", type.kind()));
    root.addProperty("scope", type.isNamespaced() ? "Namespaced" : "Cluster");
    root.addProperty("singularResource", definition.singular());
    root.add("verbs", DiscoveryDocument.array(definition.verbs()));
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
    JsonObject root = new JsonObject();
    root.addProperty("subresource", subresource.name());
    root.add(
        "responseKind",
        own
            ? kind("", "", subresource.kind())
            : kind(subresource.group(), subresource.version(), subresource.kind()));
    root.add("verbs", DiscoveryDocument.array(subresource.verbs()));
    return root;
  }

  private static JsonObject kind(String group, String version, String kind) {
    JsonObject root = new JsonObject();
    root.addProperty("group", group);
    root.addProperty("version", version);
    root.addProperty("kind", kind);
    return root;
  }
}
