package io.watchgate.sandbox;

import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.util.List;

/** Strategy of endpoint slices. */
final class EndpointSliceStrategy extends TypeStrategy {
  private static final List<String> TYPES = List.of("IPv4", "IPv6", "FQDN");

  EndpointSliceStrategy() {
    super(NameRule.SUBDOMAIN, Trait.GENERATION);
  }

  @Override
  void defaults(JsonObject slice) {
    for (JsonObject endpoint : JsonTree.objects(slice, "endpoints")) {
      JsonTree.defaultTo(endpoint, "conditions", new JsonObject());
    }
    for (JsonObject port : JsonTree.objects(slice, "ports")) {
      if (!port.has("name")) {
        port.addProperty("name", "");
      }
      JsonTree.defaultTo(port, "protocol", "TCP");
    }
    if (!JsonTree.has(slice, "endpoints")) {
      slice.add("endpoints", JsonNull.INSTANCE);
    }
    if (!JsonTree.has(slice, "ports")) {
      slice.add("ports", JsonNull.INSTANCE);
    }
  }

  /** Returns true also for changed labels, because the proxies that read slices use the labels. */
  @Override
  boolean hasDesiredStateChanged(JsonObject now, JsonObject old) {
    return super.hasDesiredStateChanged(now, old)
        || !ObjectNormalizer.isEqual(
            JsonTree.object(now, "metadata", "labels"), JsonTree.object(old, "metadata", "labels"));
  }

  @Override
  void validate(JsonObject slice, FieldErrors invalid) {
    String type = JsonTree.text(slice, "addressType");
    if (type.isEmpty()) {
      invalid.required("addressType");
    } else if (!TYPES.contains(type)) {
      invalid.unsupported("addressType", type, TYPES);
    }
    List<JsonObject> endpoints = JsonTree.objects(slice, "endpoints");
    for (int i = 0; i < endpoints.size(); i++) {
      if (JsonTree.texts(endpoints.get(i), "addresses").isEmpty()) {
        invalid.required("endpoints[" + i + "].addresses", "must contain at least one address");
      }
    }
  }

  @Override
  void validateUpdate(JsonObject now, JsonObject old, FieldErrors invalid) {
    if (!JsonTree.text(now, "addressType").equals(JsonTree.text(old, "addressType"))) {
      invalid.invalid("addressType", now.get("addressType"), "field is immutable");
    }
  }
}
