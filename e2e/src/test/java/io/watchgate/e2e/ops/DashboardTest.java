package io.watchgate.e2e.ops;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.program.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Test of the dashboard by the rules of Grafana's linter of dashboards. AlertsFireTest evaluates
 * its expressions.
 */
final class DashboardTest {
  /** Name of a metric, and its selector. */
  private static final Pattern SERIES =
      Pattern.compile("\\b((?:watchgate|jvm|process)_[a-z0-9_]+)(\\{[^}]*})?");

  private static final Pattern RANGE = Pattern.compile("\\[([^]]*)]");

  private final Dashboard dashboard = Dashboard.read();

  private static String text(JsonNode node, String field) {
    return node.at("/" + field).asText();
  }

  @Test
  void dashboard_isComplete() {
    JsonNode json = dashboard.json();
    assertThat(text(json, "title")).isEqualTo("Watchgate");
    assertThat(text(json, "uid")).isEqualTo("watchgate");
    assertThat(json.at("/id").isMissingNode()).as("no id of one Grafana").isTrue();
    assertThat(json.at("/editable").booleanValue()).isFalse();
    assertThat(json.at("/tags")).isNotEmpty();
    assertThat(dashboard.rows()).containsExactly("Users", "Upstream", "What it costs", "Memory");
    assertThat(dashboard.panels()).hasSizeGreaterThanOrEqualTo(20);
  }

  @Test
  void variables_areDatasourceAndLabels() {
    assertThat(dashboard.variables().stream().map(each -> text(each, "name")))
        .containsExactly("datasource", "job", "namespace", "instance", "type");
    JsonNode datasource = dashboard.variables().getFirst();
    assertThat(text(datasource, "type")).isEqualTo("datasource");
    assertThat(text(datasource, "query")).isEqualTo("prometheus");
    assertThat(text(datasource, "label")).isEqualTo("Data source");
    for (JsonNode variable : dashboard.variables().subList(1, 5)) {
      String name = text(variable, "name");
      assertThat(text(variable, "type")).as(name).isEqualTo("query");
      assertThat(text(variable, "label")).as(name).isEqualTo(name);
      assertThat(text(variable, "query"))
          .as(name)
          .startsWith("label_values(watchgate_")
          .endsWith(", " + name + ")");
      assertThat(variable.at("/datasource/uid").asText()).as(name).isEqualTo("${datasource}");
      assertThat(variable.at("/refresh").intValue()).as("on a change of the time").isEqualTo(2);
      assertThat(variable.at("/multi").booleanValue()).as(name).isTrue();
      assertThat(variable.at("/includeAll").booleanValue()).as(name).isTrue();
      // Outside of a cluster there may be no namespace; a type may be missing from a metric.
      assertThat(text(variable, "allValue"))
          .as(name)
          .isEqualTo(List.of("job", "instance").contains(name) ? ".+" : ".*");
    }
  }

  @Test
  void panel_hasTitleDescriptionUnitAndDatasource() {
    Set<String> titles = new TreeSet<>();
    Set<Integer> ids = new TreeSet<>();
    for (JsonNode panel : dashboard.panels()) {
      String title = text(panel, "title");
      assertThat(titles.add(title)).as("title once: " + title).isTrue();
      assertThat(ids.add(panel.at("/id").intValue())).as("id once: " + title).isTrue();
      assertThat(title).isNotEmpty();
      assertThat(text(panel, "description")).as(title).endsWith(".");
      assertThat(panel.at("/fieldConfig/defaults/unit").asText()).as(title).isNotEmpty();
      assertThat(panel.at("/targets")).as(title).isNotEmpty();
      assertThat(panel.at("/datasource/uid").asText()).as(title).isEqualTo("${datasource}");
      assertThat(Dashboard.each(panel.at("/targets")))
          .as(title)
          .allSatisfy(
              target -> {
                assertThat(target.at("/datasource/uid").asText()).isEqualTo("${datasource}");
                assertThat(text(target, "legendFormat")).isNotEmpty();
              });
    }
  }

  @Test
  void panels_doNotOverlap() {
    Set<String> cells = new TreeSet<>();
    for (JsonNode panel : Dashboard.each(dashboard.json().at("/panels")).toList()) {
      JsonNode at = panel.at("/gridPos");
      for (int x = at.get("x").intValue();
          x < at.get("x").intValue() + at.get("w").intValue();
          x++) {
        assertThat(x).isLessThan(24);
        for (int y = at.get("y").intValue();
            y < at.get("y").intValue() + at.get("h").intValue();
            y++) {
          assertThat(cells.add(x + " " + y)).as(text(panel, "title")).isTrue();
        }
      }
    }
  }

  /** Without the selectors a choice of the user would have no effect. */
  @Test
  void selectors_haveTheVariables() {
    for (String expression : dashboard.expressions()) {
      List<MatchResult> series = SERIES.matcher(expression).results().toList();
      assertThat(series).as(expression).isNotEmpty();
      assertThat(series)
          .as(expression)
          .allSatisfy(
              each ->
                  assertThat(String.valueOf(each.group(2)))
                      .startsWith(
                          "{job=~\"$job\", namespace=~\"$namespace\", instance=~\"$instance\""));
      if (metrics(expression).stream().anyMatch(DashboardTest::hasType)) {
        assertThat(expression).contains("type=~\"$type\"");
      }
    }
  }

  private static Set<String> metrics(String expression) {
    return SERIES
        .matcher(expression)
        .results()
        .map(found -> found.group(1).replaceFirst("_(?:bucket|count|sum)$", ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String row(String metric) {
    try (var lines = Files.lines(Repository.root().resolve("docs/reference/metrics.md"))) {
      return lines
          .filter(line -> line.startsWith("| `" + metric + "` |"))
          .findFirst()
          .orElseThrow(() -> new AssertionError("no metric " + metric));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean hasType(String metric) {
    return row(metric).contains("`type`");
  }

  /** A counter says something by its rate only, and a rate needs two scrapes of any interval. */
  @Test
  void counters_haveRatesOverTheIntervalOfGrafana() {
    for (String expression : dashboard.expressions()) {
      assertThat(RANGE.matcher(expression).results().map(range -> range.group(1)))
          .as(expression)
          .allMatch("$__rate_interval"::equals);
      for (String metric : metrics(expression)) {
        boolean isRate =
            row(metric).contains("| counter |") || row(metric).contains("| histogram |");
        if (isRate) {
          assertThat(expression).containsPattern("(?:rate|increase)\\(" + metric);
        }
      }
    }
  }

  @Test
  @Requires(RequiredTool.PROMTOOL)
  void expressions_areValid(@TempDir Path folder) throws Exception {
    ObjectNode file = Json.object();
    ObjectNode group = file.withArray("/groups").addObject().put("name", "dashboard");
    List<String> expressions = dashboard.expressions();
    for (int i = 0; i < expressions.size(); i++) {
      group
          .withArray("/rules")
          .addObject()
          .put("record", "dashboard:panel" + i + ":value")
          .put("expr", dashboard.filled(expressions.get(i), Map.of()));
    }
    assertThat(file.toString()).doesNotContain("$");
    Path rules = Files.writeString(folder.resolve("dashboard.yaml"), file.toString());
    assertThat(
            Program.of(Repository.root().resolve("e2e/monitoring/promtool").toString())
                .and("check", "rules", rules.toString())
                .run())
        .contains("SUCCESS: " + expressions.size() + " rules found");
  }
}
