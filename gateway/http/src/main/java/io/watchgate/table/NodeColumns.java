package io.watchgate.table;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Columns of nodes. */
final class NodeColumns {
  private static final String ROLE_PREFIX = "node-role.kubernetes.io/";
  private static final String ROLE = "kubernetes.io/role";

  private NodeColumns() {}

  static final List<TableColumn> NODE =
      List.of(
          TableColumn.name(),
          TableColumn.of(
              "Status", "Readiness, and whether pods may be scheduled.", NodeColumns::status),
          TableColumn.of("Roles", "Roles named by the node's labels.", NodeColumns::roles),
          TableColumn.age(),
          TableColumn.of(
              "Version", "Version of the kubelet.", node -> info(node, "kubeletVersion")),
          TableColumn.of(
                  "Internal-IP", "Address within the cluster.", node -> address(node, "InternalIP"))
              .wide(),
          TableColumn.of(
                  "External-IP",
                  "Address outside the cluster.",
                  node -> address(node, "ExternalIP"))
              .wide(),
          TableColumn.of("OS-Image", "Operating system.", node -> known(info(node, "osImage")))
              .wide(),
          TableColumn.of("Kernel-Version", "Kernel and architecture.", NodeColumns::kernel).wide(),
          TableColumn.of(
                  "Container-Runtime",
                  "Container runtime and its version.",
                  node -> known(info(node, "containerRuntimeVersion")))
              .wide());

  private static String status(JsonView node) {
    String status =
        node.get("status", "conditions").items().stream()
            .filter(condition -> condition.get("type").text().equals("Ready"))
            .reduce((first, last) -> last)
            .map(ready -> ready.get("status").text().equals("True") ? "Ready" : "NotReady")
            .orElse("Unknown");
    return node.get("spec", "unschedulable").isTrue() ? status + ",SchedulingDisabled" : status;
  }

  private static String roles(JsonView node) {
    Set<String> roles = new TreeSet<>();
    for (Map.Entry<String, JsonView> label : node.get("metadata", "labels").fields().entrySet()) {
      if (label.getKey().startsWith(ROLE_PREFIX)) {
        roles.add(label.getKey().substring(ROLE_PREFIX.length()));
      } else if (label.getKey().equals(ROLE)) {
        roles.add(label.getValue().text());
      }
    }
    roles.remove("");
    return CellText.orNone(String.join(",", roles));
  }

  private static String address(JsonView node, String type) {
    return CellText.orNone(
        node.get("status", "addresses").items().stream()
            .filter(address -> address.get("type").text().equals(type))
            .findFirst()
            .map(address -> address.get("address").text())
            .orElse(""));
  }

  private static String kernel(JsonView node) {
    String architecture = info(node, "architecture");
    String kernel = known(info(node, "kernelVersion"));
    return architecture.isEmpty() ? kernel : kernel + " (" + architecture + ")";
  }

  private static String info(JsonView node, String field) {
    return node.get("status", "nodeInfo", field).text();
  }

  private static String known(String text) {
    return text.isEmpty() ? CellText.UNKNOWN : text;
  }
}
