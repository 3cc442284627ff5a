package io.watchgate.sandbox;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Services. Addresses and node ports are made up, and not checked for being free. */
final class ServiceRules extends TypeRules {
  private static final List<String> TYPES =
      List.of("ClusterIP", "ExternalName", "LoadBalancer", "NodePort");

  ServiceRules() {
    super(
        NameRule.LABEL,
        Trait.CREATE_ON_UPDATE,
        Trait.ANSWERS_DELETED,
        Trait.STATUS,
        Trait.STATUS_WITH_METADATA);
  }

  @Override
  void defaults(JsonObject service) {
    JsonObject spec = Tree.objectOrNew(service, "spec");
    for (JsonObject port : Tree.objects(spec, "ports")) {
      Tree.defaultTo(port, "protocol", "TCP");
      Tree.defaultTo(port, "targetPort", Tree.number(port, 0, "port"));
    }
    Tree.defaultTo(spec, "type", "ClusterIP");
    Tree.defaultTo(spec, "sessionAffinity", "None");
    if (isExternal(spec)) {
      return;
    }
    if (!Tree.text(spec, "type").equals("ClusterIP")) {
      Tree.defaultTo(spec, "externalTrafficPolicy", "Cluster");
    }
    if (Tree.text(spec, "type").equals("LoadBalancer")) {
      Tree.defaultTo(spec, "allocateLoadBalancerNodePorts", true);
    }
    Tree.defaultTo(spec, "internalTrafficPolicy", "Cluster");
  }

  private static boolean isExternal(JsonObject spec) {
    return Tree.text(spec, "type").equals("ExternalName");
  }

  @Override
  void prepareCreate(JsonObject service, Allocations allocations) {
    JsonObject status = new JsonObject();
    status.add("loadBalancer", new JsonObject());
    service.add("status", status);
    JsonObject spec = Tree.objectOrNew(service, "spec");
    if (isExternal(spec)) {
      return;
    }
    if (Tree.text(spec, "clusterIP").isEmpty()) {
      List<String> addresses = Tree.texts(spec, "clusterIPs");
      spec.addProperty(
          "clusterIP", addresses.isEmpty() ? allocations.clusterAddress() : addresses.getFirst());
    }
    String address = Tree.text(spec, "clusterIP");
    Tree.defaultTo(spec, "clusterIPs", Tree.array(address));
    boolean selected = !address.equals("None") || Tree.has(spec, "selector");
    Tree.defaultTo(spec, "ipFamilies", selected ? Tree.array("IPv4") : Tree.array("IPv4", "IPv6"));
    Tree.defaultTo(spec, "ipFamilyPolicy", selected ? "SingleStack" : "RequireDualStack");
    boolean nodePorts = List.of("NodePort", "LoadBalancer").contains(Tree.text(spec, "type"));
    for (JsonObject port : Tree.objects(spec, "ports")) {
      if (nodePorts && Tree.number(port, 0, "nodePort") == 0) {
        port.addProperty("nodePort", allocations.nodePort());
      }
    }
  }

  @Override
  void prepareUpdate(JsonObject now, JsonObject old) {
    JsonObject spec = Tree.objectOrNew(now, "spec");
    JsonObject held = Tree.objectOrNew(old, "spec");
    if (isExternal(spec) || isExternal(held)) {
      return;
    }
    for (String name : List.of("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")) {
      JsonElement value = Tree.at(held, name);
      if (value != null) {
        Tree.defaultTo(spec, name, value.deepCopy());
      }
    }
    List<JsonObject> before = Tree.objects(held, "ports");
    for (JsonObject port : Tree.objects(spec, "ports")) {
      before.stream()
          .filter(other -> Tree.text(other, "port").equals(Tree.text(port, "port")))
          .filter(other -> Tree.has(other, "nodePort"))
          .findFirst()
          .ifPresent(other -> Tree.defaultTo(port, "nodePort", other.get("nodePort")));
    }
  }

  @Override
  void validate(JsonObject service, Invalid invalid) {
    JsonObject spec = Tree.objectOrNew(service, "spec");
    String type = Tree.text(spec, "type");
    if (!TYPES.contains(type)) {
      invalid.unsupported("spec.type", type, TYPES);
    }
    List<JsonObject> ports = Tree.objects(spec, "ports");
    boolean headless = Tree.text(spec, "clusterIP").equals("None");
    if (ports.isEmpty() && !headless && !isExternal(spec)) {
      invalid.required("spec.ports");
    }
    if (isExternal(spec) && Tree.text(spec, "externalName").isEmpty()) {
      invalid.required("spec.externalName");
    }
    Set<String> names = new HashSet<>();
    for (int i = 0; i < ports.size(); i++) {
      String at = "spec.ports[" + i + "]";
      String name = Tree.text(ports.get(i), "name");
      if (name.isEmpty() && ports.size() > 1) {
        invalid.required(at + ".name");
      } else if (!name.isEmpty() && !NameRule.LABEL.wrongWith(name).isEmpty()) {
        invalid.invalid(at + ".name", name, NameRule.LABEL.wrongWith(name));
      } else if (!name.isEmpty() && !names.add(name)) {
        invalid.duplicate(at + ".name", name);
      }
      Ports.check(ports.get(i), "port", at, invalid);
      if (Tree.at(ports.get(i), "targetPort") instanceof JsonPrimitive target
          && target.isNumber()) {
        Ports.check(ports.get(i), "targetPort", at, invalid);
      }
    }
    Metadata.labels(Tree.object(spec, "selector"), "spec.selector", invalid);
  }

  @Override
  void validateStatus(JsonObject service, Invalid invalid) {
    if (!Tree.text(service, "spec", "type").equals("LoadBalancer")
        && !Tree.objects(service, "status", "loadBalancer", "ingress").isEmpty()) {
      invalid.forbidden(
          "status.loadBalancer.ingress", "may only be used when `spec.type` is 'LoadBalancer'");
    }
  }

  @Override
  void validateUpdate(JsonObject now, JsonObject old, Invalid invalid) {
    String held = Tree.text(old, "spec", "clusterIP");
    String wanted = Tree.text(now, "spec", "clusterIP");
    if (!held.isEmpty() && !wanted.equals(held) && !isExternal(Tree.objectOrNew(now, "spec"))) {
      invalid.invalid("spec.clusterIPs[0]", Tree.array(wanted), "may not change once set");
    }
  }
}
