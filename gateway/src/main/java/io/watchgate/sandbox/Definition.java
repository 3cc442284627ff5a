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

/** Reads a CustomResourceDefinition that was found valid. */
record Definition(JsonObject object) {
  private static final List<String> VERBS =
      List.of("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch");
  private static final List<String> PART_VERBS = List.of("get", "patch", "update");

  /** What it says is to be served, the preferred version first. */
  List<ServedResource> served() {
    List<JsonObject> versions = new ArrayList<>(Tree.objects(object, "spec", "versions"));
    versions.removeIf(version -> !Tree.text(version, "served").equals("true"));
    versions.sort(
        Comparator.comparing(version -> Tree.text(version, "name"), VersionOrder.PREFERRED_FIRST));
    return versions.stream().map(this::served).toList();
  }

  private ServedResource served(JsonObject version) {
    ApiResource type =
        new ApiResource(
            Tree.text(object, "spec", "group"),
            Tree.text(version, "name"),
            Tree.text(object, "spec", "names", "plural"),
            Tree.text(object, "spec", "names", "kind"),
            Tree.text(object, "spec", "scope").equals("Namespaced")
                ? ApiResource.Scope.NAMESPACED
                : ApiResource.Scope.CLUSTER);
    TypeDefinition definition =
        new TypeDefinition(
            type,
            Tree.text(object, "spec", "names", "singular"),
            Tree.texts(object, "spec", "names", "shortNames"),
            VERBS,
            Tree.text(object, "metadata", Metadata.UID),
            selectable(version));
    List<Subresource> parts =
        Tree.has(version, "subresources", "status")
            ? List.of(
                new Subresource("status", type.group(), type.version(), type.kind(), PART_VERBS))
            : List.of();
    return new ServedResource(
        definition, Tree.texts(object, "spec", "names", "categories"), parts, columns(version));
  }

  private static List<CustomColumn> columns(JsonObject version) {
    return Tree.objects(version, "additionalPrinterColumns").stream()
        .map(
            column ->
                new CustomColumn(
                    Tree.text(column, "name"),
                    Tree.text(column, "type"),
                    Tree.text(column, "format"),
                    Tree.text(column, "description"),
                    (int) Tree.number(column, 0, "priority"),
                    Tree.text(column, "jsonPath")))
        .toList();
  }

  private static List<String> selectable(JsonObject version) {
    return Tree.objects(version, "selectableFields").stream()
        .map(field -> Tree.text(field, "jsonPath").substring(1))
        .toList();
  }

  TypeRules rules() {
    boolean apart =
        Tree.objects(object, "spec", "versions").stream()
            .anyMatch(version -> Tree.has(version, "subresources", "status"));
    return new CustomRules(apart ? CustomRules.Status.SUBRESOURCE : CustomRules.Status.PLAIN);
  }
}
