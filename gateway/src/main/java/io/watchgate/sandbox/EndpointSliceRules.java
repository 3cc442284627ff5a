package io.watchgate.sandbox;

import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.util.List;

/** Endpoint slices. */
final class EndpointSliceRules extends TypeRules {
  private static final List<String> TYPES = List.of("IPv4", "IPv6", "FQDN");

  EndpointSliceRules() {
    super(NameRule.SUBDOMAIN, Trait.GENERATION);
  }

  @Override
  void defaults(JsonObject slice) {
    for (JsonObject endpoint : Tree.objects(slice, "endpoints")) {
      Tree.defaultTo(endpoint, "conditions", new JsonObject());
    }
    for (JsonObject port : Tree.objects(slice, "ports")) {
      if (!port.has("name")) {
        port.addProperty("name", "");
      }
      Tree.defaultTo(port, "protocol", "TCP");
    }
    if (!Tree.has(slice, "endpoints")) {
      slice.add("endpoints", JsonNull.INSTANCE);
    }
    if (!Tree.has(slice, "ports")) {
      slice.add("ports", JsonNull.INSTANCE);
    }
  }

  /** Labels too: the proxies that read slices look at them. */
  @Override
  boolean wantsElse(JsonObject now, JsonObject old) {
    return super.wantsElse(now, old)
        || !Objects.same(
            Tree.object(now, "metadata", "labels"), Tree.object(old, "metadata", "labels"));
  }

  @Override
  void validate(JsonObject slice, Invalid invalid) {
    String type = Tree.text(slice, "addressType");
    if (type.isEmpty()) {
      invalid.required("addressType");
    } else if (!TYPES.contains(type)) {
      invalid.unsupported("addressType", type, TYPES);
    }
    List<JsonObject> endpoints = Tree.objects(slice, "endpoints");
    for (int i = 0; i < endpoints.size(); i++) {
      if (Tree.texts(endpoints.get(i), "addresses").isEmpty()) {
        invalid.required("endpoints[" + i + "].addresses", "must contain at least one address");
      }
    }
  }

  @Override
  void validateUpdate(JsonObject now, JsonObject old, Invalid invalid) {
    if (!Tree.text(now, "addressType").equals(Tree.text(old, "addressType"))) {
      invalid.invalid("addressType", now.get("addressType"), "field is immutable");
    }
  }
}
