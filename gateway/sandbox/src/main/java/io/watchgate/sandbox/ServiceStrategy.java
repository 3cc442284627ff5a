package io.watchgate.sandbox;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.watchgate.http.JsonObjects;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Strategy of services. Assigned addresses and node ports are not checked for being free. */
final class ServiceStrategy extends TypeStrategy {
  private static final List<String> TYPES =
      List.of("ClusterIP", "ExternalName", "LoadBalancer", "NodePort");

  ServiceStrategy() {
    super(
        NameRule.LABEL,
        Trait.CREATE_ON_UPDATE,
        Trait.DELETE_RETURNS_OBJECT,
        Trait.STATUS,
        Trait.STATUS_WITH_METADATA);
  }

  @Override
  void defaults(JsonObject service) {
    JsonObject spec = JsonTree.objectOrNew(service, "spec");
    for (JsonObject port : JsonTree.objects(spec, "ports")) {
      JsonTree.defaultTo(port, "protocol", "TCP");
      JsonTree.defaultTo(port, "targetPort", JsonTree.number(port, 0, "port"));
    }
    JsonTree.defaultTo(spec, "type", "ClusterIP");
    JsonTree.defaultTo(spec, "sessionAffinity", "None");
    if (isExternal(spec)) {
      return;
    }
    if (!JsonTree.text(spec, "type").equals("ClusterIP")) {
      JsonTree.defaultTo(spec, "externalTrafficPolicy", "Cluster");
    }
    if (JsonTree.text(spec, "type").equals("LoadBalancer")) {
      JsonTree.defaultTo(spec, "allocateLoadBalancerNodePorts", true);
    }
    JsonTree.defaultTo(spec, "internalTrafficPolicy", "Cluster");
  }

  private static boolean isExternal(JsonObject spec) {
    return JsonTree.text(spec, "type").equals("ExternalName");
  }

  @Override
  void prepareCreate(JsonObject service, Allocator allocations) {
    service.add("status", JsonObjects.of("loadBalancer", new JsonObject()));
    allocate(JsonTree.objectOrNew(service, "spec"), allocations);
  }

  /** Sets the addresses and node ports that a service of its type has. */
  private static void allocate(JsonObject spec, Allocator allocations) {
    if (isExternal(spec)) {
      return;
    }
    if (JsonTree.text(spec, "clusterIP").isEmpty()) {
      List<String> addresses = JsonTree.texts(spec, "clusterIPs");
      spec.addProperty(
          "clusterIP", addresses.isEmpty() ? allocations.clusterAddress() : addresses.getFirst());
    }
    String address = JsonTree.text(spec, "clusterIP");
    JsonTree.defaultTo(spec, "clusterIPs", JsonTree.array(address));
    boolean selected = !address.equals("None") || JsonTree.has(spec, "selector");
    JsonTree.defaultTo(
        spec, "ipFamilies", selected ? JsonTree.array("IPv4") : JsonTree.array("IPv4", "IPv6"));
    JsonTree.defaultTo(spec, "ipFamilyPolicy", selected ? "SingleStack" : "RequireDualStack");
    for (JsonObject port : JsonTree.objects(spec, "ports")) {
      if (hasNodePorts(spec) && JsonTree.number(port, 0, "nodePort") == 0) {
        port.addProperty("nodePort", allocations.nodePort());
      }
    }
  }

  private static boolean hasNodePorts(JsonObject spec) {
    return List.of("NodePort", "LoadBalancer").contains(JsonTree.text(spec, "type"));
  }

  @Override
  void prepareUpdate(JsonObject now, JsonObject old, Allocator allocations) {
    JsonObject spec = JsonTree.objectOrNew(now, "spec");
    JsonObject held = JsonTree.objectOrNew(old, "spec");
    if (!isExternal(spec) && !isExternal(held)) {
      keepAllocated(spec, held);
    }
    allocate(spec, allocations);
  }

  private static void keepAllocated(JsonObject spec, JsonObject held) {
    for (String name : List.of("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")) {
      JsonElement value = JsonTree.at(held, name);
      if (value != null) {
        JsonTree.defaultTo(spec, name, value.deepCopy());
      }
    }
    List<JsonObject> before = JsonTree.objects(held, "ports");
    for (JsonObject port : JsonTree.objects(spec, "ports")) {
      before.stream()
          .filter(other -> JsonTree.text(other, "port").equals(JsonTree.text(port, "port")))
          .filter(other -> JsonTree.has(other, "nodePort"))
          .findFirst()
          .ifPresent(other -> JsonTree.defaultTo(port, "nodePort", other.get("nodePort")));
    }
  }

  @Override
  void validate(JsonObject service, FieldErrors invalid) {
    JsonObject spec = JsonTree.objectOrNew(service, "spec");
    String type = JsonTree.text(spec, "type");
    if (!TYPES.contains(type)) {
      invalid.unsupported("spec.type", type, TYPES);
    }
    List<JsonObject> ports = JsonTree.objects(spec, "ports");
    boolean headless = JsonTree.text(spec, "clusterIP").equals("None");
    if (ports.isEmpty() && !headless && !isExternal(spec)) {
      invalid.required("spec.ports");
    }
    if (isExternal(spec) && JsonTree.text(spec, "externalName").isEmpty()) {
      invalid.required("spec.externalName");
    }
    Set<String> names = new HashSet<>();
    for (int i = 0; i < ports.size(); i++) {
      String at = "spec.ports[" + i + "]";
      String name = JsonTree.text(ports.get(i), "name");
      if (name.isEmpty() && ports.size() > 1) {
        invalid.required(at + ".name");
      } else if (!name.isEmpty() && !NameRule.LABEL.errorIn(name).isEmpty()) {
        invalid.invalid(at + ".name", name, NameRule.LABEL.errorIn(name));
      } else if (!name.isEmpty() && !names.add(name)) {
        invalid.duplicate(at + ".name", name);
      }
      invalid.checkPort(ports.get(i), "port", at);
      if (JsonTree.at(ports.get(i), "targetPort") instanceof JsonPrimitive target
          && target.isNumber()) {
        invalid.checkPort(ports.get(i), "targetPort", at);
      }
    }
    Metadata.labels(JsonTree.object(spec, "selector"), "spec.selector", invalid);
  }

  @Override
  void validateStatus(JsonObject service, FieldErrors invalid) {
    if (!JsonTree.text(service, "spec", "type").equals("LoadBalancer")
        && !JsonTree.objects(service, "status", "loadBalancer", "ingress").isEmpty()) {
      invalid.forbidden(
          "status.loadBalancer.ingress", "may only be used when `spec.type` is 'LoadBalancer'");
    }
  }

  @Override
  void validateUpdate(JsonObject now, JsonObject old, FieldErrors invalid) {
    String held = JsonTree.text(old, "spec", "clusterIP");
    String wanted = JsonTree.text(now, "spec", "clusterIP");
    if (!held.isEmpty() && !wanted.equals(held) && !isExternal(JsonTree.objectOrNew(now, "spec"))) {
      invalid.invalid("spec.clusterIPs[0]", JsonTree.array(wanted), "may not change once set");
    }
  }
}
