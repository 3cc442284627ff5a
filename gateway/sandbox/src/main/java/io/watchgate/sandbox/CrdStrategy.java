package io.watchgate.sandbox;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.watchgate.http.JsonObjects;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Strategy of CustomResourceDefinitions. Their schemas are stored, but not applied. */
final class CrdStrategy extends TypeStrategy {
  private static final List<String> SCOPES = List.of("Cluster", "Namespaced");

  CrdStrategy() {
    super(NameRule.SUBDOMAIN, Trait.GENERATION, Trait.STATUS, Trait.VERSION_REQUIRED);
  }

  @Override
  void defaults(JsonObject definition) {
    JsonObject spec = JsonTree.objectOrNew(definition, "spec");
    JsonObject names = JsonTree.objectOrNew(spec, "names");
    String kind = JsonTree.text(names, "kind");
    JsonTree.defaultTo(names, "singular", kind.toLowerCase(Locale.ROOT));
    JsonTree.defaultTo(names, "listKind", kind + "List");
    JsonTree.defaultTo(JsonTree.objectOrNew(spec, "conversion"), "strategy", "None");
  }

  @Override
  void prepareCreate(JsonObject definition, Allocator allocations) {
    JsonArray stored = new JsonArray();
    for (JsonObject version : JsonTree.objects(definition, "spec", "versions")) {
      if (JsonTree.text(version, "storage").equals("true")) {
        stored.add(JsonTree.text(version, "name"));
      }
    }
    definition.add(
        "status",
        JsonObjects.of(
            "conditions",
            JsonNull.INSTANCE,
            "acceptedNames",
            JsonObjects.of("plural", "", "kind", ""),
            "storedVersions",
            stored));
  }

  @Override
  void validate(JsonObject definition, FieldErrors invalid) {
    JsonObject spec = JsonTree.objectOrNew(definition, "spec");
    String group = JsonTree.text(spec, "group");
    String plural = JsonTree.text(spec, "names", "plural");
    String name = JsonTree.text(definition, "metadata", "name");
    if (!name.equals(plural + "." + group)) {
      invalid.invalid("metadata.name", name, "must be spec.names.plural+\".\"+spec.group");
    }
    if (group.isEmpty()) {
      invalid.required("spec.group");
    } else if (!NameRule.SUBDOMAIN.errorIn(group).isEmpty()) {
      invalid.invalid("spec.group", group, NameRule.SUBDOMAIN.errorIn(group));
    } else if (!group.contains(".")) {
      invalid.invalid("spec.group", group, "should be a domain with at least one dot");
    }
    String scope = JsonTree.text(spec, "scope");
    if (scope.isEmpty()) {
      invalid.required("spec.scope");
    } else if (!SCOPES.contains(scope)) {
      invalid.unsupported("spec.scope", scope, SCOPES);
    }
    names(JsonTree.objectOrNew(spec, "names"), invalid);
    versions(spec, invalid);
    String conversion = JsonTree.text(spec, "conversion", "strategy");
    if (!conversion.equals("None")) {
      // An apiserver also supports Webhook; the sandbox makes no outgoing calls.
      invalid.unsupported("spec.conversion.strategy", conversion, List.of("None"));
    }
  }

  private static void names(JsonObject names, FieldErrors invalid) {
    for (String required : List.of("plural", "singular", "kind", "listKind")) {
      String name = JsonTree.text(names, required);
      if (name.isEmpty()) {
        invalid.required("spec.names." + required);
        continue;
      }
      String wrong = NameRule.LABEL.errorIn(name.toLowerCase(Locale.ROOT));
      boolean lower = required.equals("plural") || required.equals("singular");
      if (!wrong.isEmpty() || (lower && !NameRule.LABEL.errorIn(name).isEmpty())) {
        invalid.invalid("spec.names." + required, name, NameRule.LABEL.errorIn(lower ? name : "-"));
      }
    }
  }

  private static void versions(JsonObject spec, FieldErrors invalid) {
    List<JsonObject> versions = JsonTree.objects(spec, "versions");
    Set<String> names = new HashSet<>();
    int stored = 0;
    boolean served = false;
    for (int i = 0; i < versions.size(); i++) {
      String at = "spec.versions[" + i + "]";
      String name = JsonTree.text(versions.get(i), "name");
      String wrong = NameRule.LABEL.errorIn(name);
      if (!wrong.isEmpty()) {
        invalid.invalid(at + ".name", name, wrong);
      } else if (!names.add(name)) {
        invalid.duplicate(at + ".name", name);
      }
      if (JsonTree.text(versions.get(i), "storage").equals("true")) {
        stored++;
      }
      served |= JsonTree.text(versions.get(i), "served").equals("true");
      if (!JsonTree.has(versions.get(i), "schema", "openAPIV3Schema")) {
        invalid.required(at + ".schema.openAPIV3Schema", "schemas are required");
      }
      fields(versions.get(i), at, invalid);
    }
    if (stored != 1) {
      JsonElement shown = spec.get("versions");
      invalid.invalid(
          "spec.versions",
          shown == null || versions.isEmpty() ? new JsonArray() : shown,
          "must have exactly one version marked as storage version");
    } else if (!served) {
      invalid.invalid(
          "spec.versions", spec.get("versions"), "the sandbox needs one version that is served");
    }
  }

  private static void fields(JsonObject version, String at, FieldErrors invalid) {
    List<JsonObject> fields = JsonTree.objects(version, "selectableFields");
    for (int i = 0; i < fields.size(); i++) {
      String path = JsonTree.text(fields.get(i), "jsonPath");
      String field = at + ".selectableFields[" + i + "].jsonPath";
      if (path.isEmpty()) {
        invalid.required(field);
      } else if (!path.matches("(\\.[A-Za-z_][A-Za-z0-9_-]*)+")) {
        invalid.invalid(field, path, "is an invalid path: expected a simple path, .spec.color");
      } else if (path.equals(".metadata") || path.startsWith(".metadata.")) {
        invalid.invalid(field, path, "must not point to fields in metadata");
      }
    }
  }

  @Override
  void validateUpdate(JsonObject now, JsonObject old, FieldErrors invalid) {
    for (String name : List.of("group", "scope")) {
      String held = JsonTree.text(old, "spec", name);
      if (!JsonTree.text(now, "spec", name).equals(held)) {
        invalid.invalid("spec." + name, JsonTree.at(now, "spec", name), "field is immutable");
      }
    }
    for (String name : List.of("plural", "kind")) {
      String held = JsonTree.text(old, "spec", "names", name);
      if (!JsonTree.text(now, "spec", "names", name).equals(held)) {
        invalid.invalid(
            "spec.names." + name, JsonTree.at(now, "spec", "names", name), "field is immutable");
      }
    }
  }
}
