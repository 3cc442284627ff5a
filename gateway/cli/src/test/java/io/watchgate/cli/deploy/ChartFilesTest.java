package io.watchgate.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Test that the files of the Helm chart that are made from others are current: the table in its
 * README and the schema from {@code values.yaml}, the built-in types from the code, the version
 * from {@code pom.xml}. {@code -Dwatchgate.chart.write=true} writes them. Helm itself runs in
 * {@code e2e}.
 */
final class ChartFilesTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final Path CHART = ROOT.resolve("gateway/deploy/chart");

  private static final String COMMAND =
      "mvn -q test -pl gateway/cli -am -Dtest=ChartFilesTest"
          + " -Dsurefire.failIfNoSpecifiedTests=false"
          + " -Dwatchgate.test.args=-Dwatchgate.chart.write=true";

  private static final Pattern HEADING = Pattern.compile("(?m)^## Values\\R{2}");

  private static ChartValues values() throws IOException {
    return ChartValues.parse(Files.readString(CHART.resolve("values.yaml")));
  }

  private static void assertCurrent(String name, String text) throws IOException {
    Path file = CHART.resolve(name);
    if (Boolean.getBoolean("watchgate.chart.write")) {
      Files.writeString(file, text);
    }
    assertThat(Files.exists(file) ? Files.readString(file) : "")
        .as("gateway/deploy/chart/%s is not current; write it: %s", name, COMMAND)
        .isEqualTo(text);
  }

  @Test
  void readme_hasTheTableOfTheValues() throws IOException {
    String readme = Files.readString(CHART.resolve("README.md"));
    Matcher heading = HEADING.matcher(readme);
    assertThat(heading.find()).as("README.md has a heading 'Values'").isTrue();

    assertCurrent("README.md", readme.substring(0, heading.end()) + values().table());
  }

  @Test
  void schema_isThatOfTheValues() throws IOException {
    assertCurrent("values.schema.json", values().schema());
  }

  /** The chart completes and checks types as the command does. */
  @Test
  void builtInTypes_areThoseOfTheCommand() throws IOException {
    assertCurrent(
        "files/built-in-types.txt",
        BuiltInResource.ALL.stream()
            .map(
                type ->
                    Stream.concat(
                            Stream.of(type.toRbacResource().toString()), type.names().stream())
                        .collect(Collectors.joining(" ", "", "\n")))
            .collect(Collectors.joining()));
  }

  @Test
  void versions_areThatOfPom() throws IOException {
    Matcher version =
        Pattern.compile("<artifactId>watchgate-parent</artifactId>\\s*<version>(.*)</version>")
            .matcher(Files.readString(ROOT.resolve("pom.xml")));
    assertThat(version.find()).isTrue();

    assertCurrent(
        "Chart.yaml",
        Files.readString(CHART.resolve("Chart.yaml"))
            .replaceAll(
                "(?m)^(version|appVersion): .*$",
                "$1: " + Matcher.quoteReplacement(version.group(1))));
  }

  @Test
  void templates_readEachValue_andNoOther() throws IOException {
    Set<String> read = new TreeSet<>();
    try (Stream<Path> files = Files.walk(CHART.resolve("templates"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Pattern.compile("(?:\\.Values|\\$values)\\.(\\w+(?:\\.\\w+)*)")
            .matcher(Files.readString(file))
            .results()
            .map(at -> at.group(1))
            .forEach(read::add);
      }
    }
    assertThat(read)
        .containsExactlyInAnyOrderElementsOf(
            values().all().stream().map(ChartValues.Value::path).toList());
  }

  /** Helm follows the links, also into a package. */
  @Test
  void rules_areThoseOfTheFolderMonitoring() throws IOException {
    for (String file : new String[] {"alerts.yaml", "rules.yaml"}) {
      assertThat(CHART.resolve("files").resolve(file).toRealPath())
          .isEqualTo(ROOT.resolve("gateway/deploy/monitoring").resolve(file).toRealPath());
    }
  }

  @Test
  void value_withoutComment_isRefused() {
    assertThatThrownBy(() -> ChartValues.parse("a:\n  b: 1\n"))
        .hasMessage("values.yaml: no comment above a.b");
    assertThatThrownBy(() -> ChartValues.parse("- a\n"))
        .hasMessage("values.yaml: neither a comment nor a value: - a");
  }

  @Test
  void schema_refusesOtherNames_atEachLevel() {
    String schema = ChartValues.parse("# Outer.\na: 1\n\nb:\n  # Inner.\n  c: x\n").schema();

    assertThat(
            Pattern.compile("\"additionalProperties\": false|\"(integer|string)\"")
                .matcher(schema)
                .results()
                .map(MatchResult::group))
        .containsExactly(
            "\"additionalProperties\": false",
            "\"integer\"",
            "\"additionalProperties\": false",
            "\"string\"");
  }
}
