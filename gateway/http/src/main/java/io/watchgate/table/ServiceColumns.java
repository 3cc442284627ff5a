package io.watchgate.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Columns of services and of endpoint slices. */
final class ServiceColumns {
  private ServiceColumns() {}

  static final List<TableColumn> SERVICE =
      List.of(
          TableColumn.name(),
          TableColumn.of(
              "Type", "Type of the service.", service -> service.get("spec", "type").text()),
          TableColumn.of(
              "Cluster-IP", "First address within the cluster.", ServiceColumns::clusterIp),
          TableColumn.of(
              "External-IP", "Addresses outside the cluster.", ServiceColumns::externalIp),
          TableColumn.of("Port(s)", "Ports, with the node ports.", ServiceColumns::ports),
          TableColumn.age(),
          TableColumn.of(
                  "Selector",
                  "Label selector of the pods.",
                  service -> CellText.labels(service.get("spec", "selector")))
              .wide());

  static final List<TableColumn> ENDPOINT_SLICE =
      List.of(
          TableColumn.name(),
          TableColumn.of(
              "AddressType",
              "Address family of the endpoints.",
              slice -> slice.get("addressType").text()),
          TableColumn.of("Ports", "Ports of each endpoint.", ServiceColumns::endpointPorts),
          TableColumn.of("Endpoints", "Addresses of the endpoints.", ServiceColumns::addresses),
          TableColumn.age());

  private static String clusterIp(JsonView service) {
    List<JsonView> addresses = service.get("spec", "clusterIPs").items();
    return addresses.isEmpty() ? CellText.NONE : addresses.getFirst().text();
  }

  private static String externalIp(JsonView service) {
    List<String> external = texts(service.get("spec", "externalIPs"));
    return switch (service.get("spec", "type").text()) {
      case "ClusterIP", "NodePort" -> CellText.orNone(String.join(",", external));
      case "LoadBalancer" -> {
        List<String> all = new ArrayList<>(ingress(service));
        all.addAll(external);
        yield all.isEmpty() ? "<pending>" : String.join(",", all);
      }
      case "ExternalName" -> service.get("spec", "externalName").text();
      default -> CellText.UNKNOWN;
    };
  }

  private static Set<String> ingress(JsonView service) {
    Set<String> names = new TreeSet<>();
    for (JsonView ingress : service.get("status", "loadBalancer", "ingress").items()) {
      String ip = ingress.get("ip").text();
      names.add(ip.isEmpty() ? ingress.get("hostname").text() : ip);
    }
    names.remove("");
    return names;
  }

  private static String ports(JsonView service) {
    return CellText.orNone(
        service.get("spec", "ports").items().stream()
            .map(
                port -> {
                  int node = port.get("nodePort").number();
                  return port.get("port").number()
                      + (node > 0 ? ":" + node : "")
                      + "/"
                      + port.get("protocol").text();
                })
            .collect(Collectors.joining(",")));
  }

  private static String endpointPorts(JsonView slice) {
    return CellText.firstThree(
        slice.get("ports").items().stream()
            .map(
                port ->
                    port.get("port").exists()
                        ? port.get("port").text()
                        : port.get("name").exists() ? port.get("name").text() : "*")
            .toList());
  }

  private static String addresses(JsonView slice) {
    return CellText.firstThree(
        slice.get("endpoints").items().stream()
            .flatMap(endpoint -> texts(endpoint.get("addresses")).stream())
            .toList());
  }

  private static List<String> texts(JsonView list) {
    return list.items().stream().map(JsonView::text).toList();
  }
}
