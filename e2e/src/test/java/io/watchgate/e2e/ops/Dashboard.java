package io.watchgate.e2e.ops;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.kube.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Dashboard for Grafana, {@code dashboard.json}. */
record Dashboard(JsonNode json) {
  private static final Path FILE =
      Repository.root().resolve("gateway/deploy/monitoring/dashboard.json");

  /** Window of rates at the scrape interval of the tests. */
  private static final String RATE_INTERVAL = "10s";

  static Dashboard read() {
    try {
      return new Dashboard(Json.parse(Files.readAllBytes(FILE)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Stream<JsonNode> each(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false);
  }

  List<JsonNode> variables() {
    return each(json.at("/templating/list")).toList();
  }

  List<JsonNode> annotations() {
    return each(json.at("/annotations/list")).toList();
  }

  List<String> rows() {
    return each(json.at("/panels"))
        .filter(panel -> panel.at("/type").asText().equals("row"))
        .map(panel -> panel.at("/title").asText())
        .toList();
  }

  /** Returns the panels without the rows. */
  List<JsonNode> panels() {
    return each(json.at("/panels"))
        .filter(panel -> !panel.at("/type").asText().equals("row"))
        .toList();
  }

  /** Returns the expressions of a panel. */
  static List<String> expressions(JsonNode panel) {
    return each(panel.at("/targets")).map(target -> target.at("/expr").asText()).toList();
  }

  /** Returns all expressions of panels and annotations. */
  List<String> expressions() {
    return Stream.concat(
            panels().stream().flatMap(panel -> expressions(panel).stream()),
            annotations().stream().map(annotation -> annotation.at("/expr").asText()))
        .toList();
  }

  /**
   * Returns an expression with the values of its variables.
   *
   * @param chosen values of variables; the others have the value that Grafana inserts for All
   */
  String filled(String expression, Map<String, String> chosen) {
    String filled = expression.replace("$__rate_interval", RATE_INTERVAL);
    for (JsonNode variable : variables()) {
      String name = variable.at("/name").asText();
      String all = variable.at("/allValue").asText();
      filled = filled.replace("$" + name, chosen.getOrDefault(name, all));
    }
    return filled;
  }
}
