package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.cache.ApiResource;
import io.watchgate.cache.CustomColumn;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.http.ServedResource;
import io.watchgate.http.ServedResource.Subresource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Reader of a CustomResourceDefinition that has been validated. */
record CrdReader(JsonObject object) {
  private static final List<String> VERBS =
      List.of("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch");
  private static final List<String> PART_VERBS = List.of("get", "patch", "update");

  /** Returns the versions that the definition serves, the preferred version first. */
  List<ServedResource> served() {
    List<JsonObject> versions = new ArrayList<>(JsonTree.objects(object, "spec", "versions"));
    versions.removeIf(version -> !JsonTree.text(version, "served").equals("true"));
    versions.sort(
        Comparator.comparing(
            version -> JsonTree.text(version, "name"), VersionOrder.PREFERRED_FIRST));
    return versions.stream().map(this::served).toList();
  }

  private ServedResource served(JsonObject version) {
    ApiResource type =
        new ApiResource(
            JsonTree.text(object, "spec", "group"),
            JsonTree.text(version, "name"),
            JsonTree.text(object, "spec", "names", "plural"),
            JsonTree.text(object, "spec", "names", "kind"),
            JsonTree.text(object, "spec", "scope").equals("Namespaced")
                ? ApiResource.Scope.NAMESPACED
                : ApiResource.Scope.CLUSTER);
    TypeDefinition definition =
        new TypeDefinition(
            type,
            JsonTree.text(object, "spec", "names", "singular"),
            JsonTree.texts(object, "spec", "names", "shortNames"),
            VERBS,
            JsonTree.text(object, "metadata", Metadata.UID),
            selectable(version));
    List<Subresource> parts =
        JsonTree.has(version, "subresources", "status")
            ? List.of(
                new Subresource("status", type.group(), type.version(), type.kind(), PART_VERBS))
            : List.of();
    return new ServedResource(
        definition, JsonTree.texts(object, "spec", "names", "categories"), parts, columns(version));
  }

  private static List<CustomColumn> columns(JsonObject version) {
    return JsonTree.objects(version, "additionalPrinterColumns").stream()
        .map(
            column ->
                new CustomColumn(
                    JsonTree.text(column, "name"),
                    JsonTree.text(column, "type"),
                    JsonTree.text(column, "format"),
                    JsonTree.text(column, "description"),
                    (int) JsonTree.number(column, 0, "priority"),
                    JsonTree.text(column, "jsonPath")))
        .toList();
  }

  private static List<String> selectable(JsonObject version) {
    return JsonTree.objects(version, "selectableFields").stream()
        .map(field -> JsonTree.text(field, "jsonPath").substring(1))
        .toList();
  }

  /** Returns the strategy of the custom resources, which may have any content. */
  TypeStrategy strategy() {
    List<Trait> traits =
        new ArrayList<>(List.of(Trait.CUSTOM, Trait.GENERATION, Trait.VERSION_REQUIRED));
    if (JsonTree.objects(object, "spec", "versions").stream()
        .anyMatch(version -> JsonTree.has(version, "subresources", "status"))) {
      traits.add(Trait.STATUS);
    }
    return new TypeStrategy(NameRule.SUBDOMAIN, traits.toArray(Trait[]::new));
  }
}
