package io.watchgate.e2e.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.auth.AuthMetrics;
import io.watchgate.cache.ApiResource;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.program.Program;
import io.watchgate.fanout.ClientEnd;
import io.watchgate.ops.FanoutCounters;
import io.watchgate.proto.v1.ErrorReason;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Test of the alerts for Prometheus: their rules, their runbooks, and the names in both. */
final class AlertsTest {
  private static final Path ROOT = Repository.root();
  private static final Path MONITORING = ROOT.resolve("gateway/deploy/monitoring");
  private static final Path RUNBOOKS = ROOT.resolve("docs/runbooks");

  private static final Pattern MATCHER = Pattern.compile("\\b(reason|answer)=~?\"([^\"]*)\"");

  /**
   * Alert with its fields as strings.
   *
   * @param summary without values
   * @param description with values of labels, or of the expression
   */
  private record Alert(
      String name,
      String expression,
      String severity,
      String summary,
      String description,
      String runbook) {
    static Alert of(Map<?, ?> rule) {
      Map<?, ?> labels = map(rule.get("labels"));
      Map<?, ?> annotations = map(rule.get("annotations"));
      return new Alert(
          text(rule.get("alert")),
          text(rule.get("expr")),
          text(labels.get("severity")),
          text(annotations.get("summary")),
          text(annotations.get("description")),
          text(annotations.get("runbook_url")));
    }
  }

  private static String text(@Nullable Object value) {
    return Objects.toString(value, "");
  }

  private static Map<?, ?> map(@Nullable Object value) {
    return value instanceof Map<?, ?> map ? map : Map.of();
  }

  private static List<Map<?, ?>> maps(@Nullable Object value) {
    List<Map<?, ?>> maps = new ArrayList<>();
    if (value instanceof List<?> list) {
      list.forEach(each -> maps.add(map(each)));
    }
    return maps;
  }

  private static Map<?, ?> yaml(String file) throws IOException {
    return map(
        new Load(LoadSettings.builder().setLabel(file).build())
            .loadFromString(Files.readString(MONITORING.resolve(file))));
  }

  private static List<Map<?, ?>> rules(String file) throws IOException {
    return maps(yaml(file).get("groups")).stream()
        .flatMap(group -> maps(group.get("rules")).stream())
        .toList();
  }

  private static List<Alert> alerts() throws IOException {
    List<Alert> alerts = rules("alerts.yaml").stream().map(Alert::of).toList();
    assertThat(alerts).isNotEmpty();
    return alerts;
  }

  static Set<String> names() throws IOException {
    return alerts().stream().map(Alert::name).collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<String> expressions() throws IOException {
    return Stream.of("rules.yaml", "alerts.yaml")
        .flatMap(
            file -> {
              try {
                return rules(file).stream();
              } catch (IOException e) {
                throw new AssertionError(file, e);
              }
            })
        .map(rule -> text(rule.get("expr")))
        .toList();
  }

  private static Set<String> runbooks() throws IOException {
    try (Stream<Path> pages = Files.list(RUNBOOKS)) {
      return pages
          .map(page -> page.getFileName().toString().replaceFirst("\\.md$", ""))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static String promtool(String... arguments) throws Exception {
    return Program.of(ROOT.resolve("e2e/monitoring/promtool").toString())
        .and(arguments)
        .in(MONITORING)
        .run();
  }

  @Test
  @Requires(RequiredTool.PROMTOOL)
  void rules_areValid() throws Exception {
    assertThat(promtool("check", "rules", "rules.yaml", "alerts.yaml"))
        .contains("SUCCESS: 4 rules found", "SUCCESS: " + alerts().size() + " rules found");
  }

  @Test
  @Requires(RequiredTool.PROMTOOL)
  void alerts_fireWhenTheyShould_andOnlyThen() throws Exception {
    assertThat(promtool("test", "rules", "alerts.test.yaml")).contains("SUCCESS");
  }

  @Test
  void alert_isComplete() throws IOException {
    for (Alert alert : alerts()) {
      assertThat(alert.name()).matches("Watchgate[A-Z][A-Za-z]+");
      assertThat(alert.severity()).as(alert.name()).isIn("critical", "warning", "info");
      assertThat(alert.summary()).as(alert.name()).endsWith(".").doesNotContain("{{", "\n");
      assertThat(alert.description()).as(alert.name()).endsWith(".").doesNotContain("\n");
      if (!alert.expression().startsWith("absent(")) { // it has neither labels nor a value
        assertThat(alert.description()).as(alert.name()).contains("{{");
      }
      assertThat(alert.runbook()).isEqualTo("docs/runbooks/" + alert.name() + ".md");
      assertThat(ROOT.resolve(alert.runbook())).isRegularFile();
    }
    assertThat(names()).as("each name once").hasSameSizeAs(alerts());
  }

  /** Without the selector of the job a rule would take the series of other programs. */
  @Test
  void selectors_nameTheJob() throws IOException {
    for (String expression : expressions()) {
      // Names in quotation marks are values of the label "limit".
      String selectors = expression.replaceAll("\"watchgate_[a-z_]+\"", "\"\"");
      List<MatchResult> series =
          Pattern.compile("\\b(?:watchgate[_:][a-z0-9_:]+|up)(?![a-z0-9_:])(\\{[^}]*})?")
              .matcher(selectors)
              .results()
              .toList();
      assertThat(series).as(expression).isNotEmpty();
      assertThat(series)
          .as(expression)
          .allSatisfy(at -> assertThat(text(at.group(1))).startsWith("{job=\"watchgate\""));
    }
  }

  @Test
  void alert_hasACaseThatFires_andOneThatDoesNot() throws IOException {
    Set<String> firing = new TreeSet<>();
    Set<String> silent = new TreeSet<>();
    for (Map<?, ?> test : maps(yaml("alerts.test.yaml").get("tests"))) {
      for (Map<?, ?> check : maps(test.get("alert_rule_test"))) {
        (maps(check.get("exp_alerts")).isEmpty() ? silent : firing)
            .add(text(check.get("alertname")));
      }
    }
    assertThat(firing).isEqualTo(names());
    assertThat(silent).isEqualTo(names());
  }

  @Test
  void alert_hasARunbook_andEachRunbookAnAlert() throws IOException {
    assertThat(runbooks()).isEqualTo(names());
    for (String name : runbooks()) {
      List<String> lines = Files.readAllLines(RUNBOOKS.resolve(name + ".md"));
      assertThat(lines).as(name).contains("# " + name);
      assertThat(lines.stream().filter(line -> line.startsWith("## ")))
          .as(name)
          .containsExactly("## Meaning", "## Impact", "## Diagnosis", "## Mitigation");
      assertThat(lines).as(name).hasSizeBetween(20, 40);
    }
  }

  @Test
  void pageOfAlerts_namesEachAlert_andNoOther() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/reference/alerts.md"));
    Set<String> named =
        Pattern.compile("\\bWatchgate[A-Z][A-Za-z]+")
            .matcher(page)
            .results()
            .map(MatchResult::group)
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(named).isEqualTo(names());
    for (String name : names()) {
      assertThat(page).contains("[" + name + "](../runbooks/" + name + ".md)");
    }
  }

  /** An alert on a value that no metric has would never fire. */
  @Test
  void valuesOfLabels_exist() throws IOException {
    Set<String> reasons = new HashSet<>();
    for (ErrorReason reason : ErrorReason.values()) {
      reasons.add(reason.name().replace("ERROR_REASON_", "").toLowerCase(Locale.ROOT));
    }
    for (ClientEnd end : ClientEnd.values()) {
      reasons.add(end.label());
    }
    Set<String> answers =
        Arrays.stream(AuthMetrics.Answer.values())
            .map(answer -> answer.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.toSet());
    int values = 0;
    for (String expression : expressions()) {
      for (MatchResult matcher : MATCHER.matcher(expression).results().toList()) {
        for (String value : matcher.group(2).split("\\|", -1)) {
          assertThat(matcher.group(1).equals("reason") ? reasons : answers)
              .as(expression)
              .contains(value);
          values++;
        }
      }
    }
    assertThat(values).isGreaterThan(5);
  }

  /** Prometheus 2 compares the bounds of buckets as text. */
  @Test
  void bucketOfTheRules_isPrinted() throws IOException {
    PrometheusRegistry registry = new PrometheusRegistry();
    new FanoutCounters(registry)
        .delivered(new ApiResource("", "v1", "pods", "Pod", ApiResource.Scope.NAMESPACED), 1);
    ByteArrayOutputStream page = new ByteArrayOutputStream();
    PrometheusTextFormatWriter.create().write(page, registry.scrape());
    Set<String> bounds =
        expressions().stream()
            .flatMap(expression -> Pattern.compile("le=\"[^\"]*\"").matcher(expression).results())
            .map(MatchResult::group)
            .collect(Collectors.toSet());
    assertThat(bounds).isNotEmpty();
    assertThat(page.toString(StandardCharsets.UTF_8)).contains(bounds);
  }
}
