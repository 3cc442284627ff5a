package io.watchgate.table;

import com.google.gson.JsonPrimitive;
import java.util.List;

/** Columns of pods. */
final class PodColumns {
  private PodColumns() {}

  static final List<TableColumn> POD =
      List.of(
          TableColumn.name(),
          TableColumn.of("Ready", "Containers that are ready, of all.", PodColumns::ready),
          TableColumn.of(
              "Status", "State of the pod in one word.", pod -> PodSummary.of(pod).status()),
          TableColumn.of(
              "Restarts",
              "string",
              "How often its containers were restarted, and when last.",
              (pod, now) -> new JsonPrimitive(PodSummary.of(pod).restarts(now))),
          TableColumn.age(),
          TableColumn.of("IP", "Its first address.", PodColumns::address).wide(),
          TableColumn.of(
                  "Node",
                  "The node it is bound to.",
                  pod -> CellText.orNone(pod.get("spec", "nodeName").text()))
              .wide(),
          TableColumn.of(
                  "Nominated Node",
                  "The node where room is being made for it.",
                  pod -> CellText.orNone(pod.get("status", "nominatedNodeName").text()))
              .wide(),
          TableColumn.of(
                  "Readiness Gates",
                  "Conditions beyond its containers that are met, of all.",
                  PodColumns::gates)
              .wide());

  private static String ready(JsonView pod) {
    PodSummary summary = PodSummary.of(pod);
    return summary.ready() + "/" + summary.containers();
  }

  private static String address(JsonView pod) {
    List<JsonView> addresses = pod.get("status", "podIPs").items();
    return CellText.orNone(addresses.isEmpty() ? "" : addresses.getFirst().get("ip").text());
  }

  private static String gates(JsonView pod) {
    List<JsonView> gates = pod.get("spec", "readinessGates").items();
    long met =
        gates.stream()
            .filter(gate -> JobColumns.hasCondition(pod, gate.get("conditionType").text()))
            .count();
    return gates.isEmpty() ? CellText.NONE : met + "/" + gates.size();
  }
}
