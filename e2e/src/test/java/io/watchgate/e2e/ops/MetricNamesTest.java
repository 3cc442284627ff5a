package io.watchgate.e2e.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.e2e.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Test of the names of metrics in rules, the dashboard and documents: each metric exists. */
final class MetricNamesTest {
  private static final Path ROOT = Repository.root();

  /** Name of a metric of the gateway's page; recording rules have a colon. */
  private static final Pattern NAME =
      Pattern.compile("(?<![\\w:])(?:watchgate|jvm|process)_[a-z0-9_]+(?![a-z0-9_:])");

  /** Row of the reference page, with the name and the kind of a metric. */
  private static final Pattern ROW =
      Pattern.compile("^\\| `([a-z0-9_]+)` \\| (\\w+) \\|", Pattern.MULTILINE);

  /** Returns the names of the reference page, which is generated from the sources. */
  static Set<String> documented() throws IOException {
    return documented(_ -> true);
  }

  static Set<String> documentedGauges() throws IOException {
    return documented("gauge"::equals);
  }

  private static Set<String> documented(Predicate<String> kind) throws IOException {
    return ROW.matcher(Files.readString(ROOT.resolve("docs/reference/metrics.md")))
        .results()
        .filter(row -> kind.test(row.group(2)))
        .map(row -> row.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns the name of a metric without the suffix of a series of a histogram. */
  static String family(String name, Set<String> documented) {
    return documented.contains(name) ? name : name.replaceFirst("_(?:bucket|count|sum)$", "");
  }

  private static Stream<Path> files(String folder) {
    try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
      return files
          .filter(Files::isRegularFile)
          .filter(file -> file.toString().matches(".*\\.(?:md|yaml|json)"))
          .toList()
          .stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void nameInRulesDashboardAndDocuments_isThatOfAMetric() throws IOException {
    Set<String> documented = documented();
    assertThat(documented).hasSizeGreaterThan(50);
    TreeMap<String, Set<String>> unknown = new TreeMap<>();
    int found = 0;
    for (Path file :
        Stream.of(
                files("docs"),
                files("gateway/deploy/monitoring"),
                Stream.of("README.md", "SECURITY.md", "e2e/README.md").map(ROOT::resolve))
            .flatMap(each -> each)
            .toList()) {
      for (MatchResult name : NAME.matcher(Files.readString(file)).results().toList()) {
        found++;
        if (!documented.contains(family(name.group(), documented))) {
          unknown
              .computeIfAbsent(name.group(), any -> new TreeSet<>())
              .add(ROOT.relativize(file).toString());
        }
      }
    }
    assertThat(found).isGreaterThan(300);
    assertThat(unknown).isEmpty();
  }
}
