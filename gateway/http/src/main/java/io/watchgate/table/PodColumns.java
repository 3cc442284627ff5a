package io.watchgate.table;

import com.google.gson.JsonPrimitive;
import java.util.List;

/** Columns of pods. */
final class PodColumns {
  private PodColumns() {}

  static final List<TableColumn> POD =
      List.of(
          TableColumn.name(),
          TableColumn.of("Ready", "Ready containers of all containers.", PodColumns::ready),
          TableColumn.of(
              "Status", "State of the pod in one word.", pod -> PodSummary.of(pod).status()),
          TableColumn.of(
              "Restarts",
              "string",
              "Number of container restarts, and the time since the last one.",
              (pod, now) -> new JsonPrimitive(PodSummary.of(pod).restarts(now))),
          TableColumn.age(),
          TableColumn.of("IP", "First address of the pod.", PodColumns::address).wide(),
          TableColumn.of(
                  "Node",
                  "Node that the pod is bound to.",
                  pod -> CellText.orNone(pod.get("spec", "nodeName").text()))
              .wide(),
          TableColumn.of(
                  "Nominated Node",
                  "Node on which other pods are preempted for this pod.",
                  pod -> CellText.orNone(pod.get("status", "nominatedNodeName").text()))
              .wide(),
          TableColumn.of(
                  "Readiness Gates",
                  "Readiness gates that are met of all gates.",
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
