package io.watchgate.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.SourceFiles;
import io.watchgate.cache.ListReason;
import io.watchgate.cli.CommandSpecs;
import io.watchgate.fanout.ClientEnd;
import io.watchgate.http.ProxyAudit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Test that the generated pages of {@code docs/reference} are current, and that they have one entry
 * for each option, metric and error, and that the help texts of the launcher are. {@code
 * -Dwatchgate.reference.write=true} writes them.
 */
final class ReferencePagesTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final Path FOLDER = ROOT.resolve("docs/reference");

  private static final String COMMAND =
      "mvn -q test -pl gateway/cli -am -Dtest=ReferencePagesTest"
          + " -Dsurefire.failIfNoSpecifiedTests=false"
          + " -Dwatchgate.test.args=-Dwatchgate.reference.write=true";

  static List<ReferencePage> pages() throws IOException {
    List<ReferencePage> pages = new ArrayList<>();
    pages.addAll(new CommandPages(CommandSpecs.root()).all());
    pages.addAll(
        new ContractPages(
                ProtoFile.read(ROOT.resolve("proto/src/main/protobuf/watchgate/v1/watch.proto")))
            .all());
    pages.add(MetricsPage.page());
    pages.add(StatesPage.page());
    return pages;
  }

  @ParameterizedTest
  @MethodSource("pages")
  void page_isCurrent(ReferencePage page) throws IOException {
    Path file = FOLDER.resolve(page.name());
    if (Boolean.getBoolean("watchgate.reference.write")) {
      Files.writeString(file, page.text());
    }
    assertThat(Files.exists(file) ? Files.readString(file) : "")
        .as("docs/reference/%s is not current; write it: %s", page.name(), COMMAND)
        .isEqualTo(page.text());
  }

  /** The launcher prints these files while there is no build. */
  @Test
  void helpFilesOfLauncher_areCurrent() throws IOException {
    Path folder = ROOT.resolve(".mvn/tools/help");
    Map<String, String> texts = new TreeMap<>();
    texts.put("watchgate", CommandSpecs.help("--help"));
    for (String command : CommandSpecs.root().subcommands().keySet()) {
      texts.put(command, CommandSpecs.help(command, "--help"));
    }
    Map<String, String> files = new TreeMap<>();
    for (Map.Entry<String, String> text : texts.entrySet()) {
      Path file = folder.resolve(text.getKey());
      if (Boolean.getBoolean("watchgate.reference.write")) {
        Files.writeString(file, text.getValue());
      }
      files.put(text.getKey(), Files.exists(file) ? Files.readString(file) : "");
    }
    assertThat(files).as(".mvn/tools/help is not current; write it: %s", COMMAND).isEqualTo(texts);
    try (Stream<Path> all = Files.list(folder)) {
      assertThat(all.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(texts.keySet());
    }
  }

  @Test
  void option_hasOneEntry() throws IOException {
    CommandPages commands = new CommandPages(CommandSpecs.root());
    assertThat(commands.withoutSection())
        .as("classes of options that several commands have, without a section in CommandPages")
        .isEmpty();
    assertThat(commands.entries())
        .isNotEmpty()
        .allSatisfy(
            (option, entries) ->
                assertThat(entries).as("entries of %s in docs/reference", option).isEqualTo(1));
  }

  @Test
  void pageOfWatch_hasTheTextBelowItsOptions() throws IOException {
    assertThat(pages())
        .filteredOn(page -> page.name().equals("watch.md"))
        .singleElement()
        .extracting(ReferencePage::text, InstanceOfAssertFactories.STRING)
        .contains("| `condition=Ready` |", "TEMPLATE of -o jsonpath=", "COMMAND is run for each");
  }

  @Test
  void metricsOfCaches_haveTheLabelsOfTheirType() throws IOException {
    assertThat(MetricsPage.metrics().get("CacheGauges"))
        .filteredOn(metric -> !metric.name().equals("watchgate_history_checks_waiting"))
        .isNotEmpty()
        .allSatisfy(metric -> assertThat(metric.labels()).isEqualTo("`type`, `version`"));
  }

  @Test
  void environmentVariable_hasOneEntry() throws IOException {
    Pattern variable = Pattern.compile("\\bWATCHGATE_[A-Z_]*[A-Z]\\b");
    Set<String> inSources = new TreeSet<>();
    try (Stream<Path> files = Files.walk(ROOT.resolve("gateway/cli/src/main"))) {
      for (Path file :
          Stream.concat(Stream.of(ROOT.resolve("watchgate")), files.filter(Files::isRegularFile))
              .toList()) {
        variable
            .matcher(Files.readString(file))
            .results()
            .forEach(name -> inSources.add(name.group()));
      }
    }
    inSources.remove("WATCHGATE_TRAINING"); // set by the launcher for itself
    List<String> documented =
        Files.readAllLines(FOLDER.resolve("environment.md")).stream()
            .map(line -> line.split("`"))
            .filter(cells -> cells[0].equals("| ") && variable.matcher(cells[1]).matches())
            .map(cells -> cells[1])
            .toList();
    assertThat(documented).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(inSources);
  }

  /** Sides that end a watch of the Kubernetes read API have the words of streams. */
  @Test
  void endWithoutError_hasOneEntry() throws IOException {
    Set<String> words = new TreeSet<>(Set.of(ClientEnd.INTERNAL));
    Stream.of(ClientEnd.values()).map(ClientEnd::label).forEach(words::add);
    Stream.of(ProxyAudit.Side.values())
        .map(side -> side.name().toLowerCase(Locale.ROOT))
        .forEach(words::add);
    List<String> lines = Files.readAllLines(FOLDER.resolve("errors.md"));
    List<String> documented =
        lines.subList(lines.indexOf("## Ends without an error"), lines.size()).stream()
            .map(line -> line.split("`"))
            .filter(cells -> cells[0].equals("| "))
            .map(cells -> cells[1])
            .toList();
    assertThat(documented).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(words);
  }

  @Test
  void quotaSubject_hasOneEntry() throws IOException {
    List<String> inSources = new ArrayList<>();
    Pattern.compile("new QuotaViolation\\(\\s*\"([a-z:]+)\"")
        .matcher(
            Files.readString(
                ROOT.resolve("gateway/core/src/main/java/io/watchgate/error/LimitErrors.java")))
        .results()
        .forEach(at -> inSources.add(at.group(1)));
    List<String> lines = Files.readAllLines(FOLDER.resolve("errors.md"));
    List<String> documented =
        lines.subList(lines.indexOf("## QUOTA"), lines.indexOf("## CREDENTIALS_INVALID")).stream()
            .filter(line -> line.startsWith("| `"))
            .map(line -> line.substring(0, line.indexOf(" | ")))
            .flatMap(cell -> Pattern.compile("`([a-z:]+)`").matcher(cell).results())
            .map(subject -> subject.group(1))
            .toList();
    assertThat(documented).isNotEmpty().containsExactlyInAnyOrderElementsOf(inSources);
  }

  /** Reasons of the last list or watch of a type are found in the reflector's source. */
  @Test
  void reasonsOfListsAndWatches_haveOneEntry() throws IOException {
    List<String> lists = Arrays.stream(ListReason.values()).map(ListReason::label).toList();
    assertThat(StatesPage.LISTS.keySet()).containsExactlyInAnyOrderElementsOf(lists);
    List<String> last =
        Pattern.compile("String (?:TOO_LARGE|UNORDERED) = \"(\\w+)\"")
            .matcher(
                Files.readString(
                    ROOT.resolve("gateway/core/src/main/java/io/watchgate/cache/Reflector.java")))
            .results()
            .map(at -> at.group(1))
            .toList();
    assertThat(StatesPage.LAST.keySet()).containsExactlyInAnyOrderElementsOf(last);
    Set<String> failures = new TreeSet<>();
    StatesPage.failures().forEach(failure -> failures.add(StatesPage.reason(failure)));
    assertThat(StatesPage.FAILURES.keySet()).containsExactlyInAnyOrderElementsOf(failures);
    assertThat(StatesPage.VIOLATIONS.keySet())
        .containsExactlyInAnyOrder(ListReason.ORDER.label(), ListReason.ROLLBACK.label());
  }

  @Test
  void metric_hasOneEntry() throws IOException {
    Set<String> inSources = new TreeSet<>();
    for (Path file : SourceFiles.below("gateway")) {
      if (file.toString().matches(".*/src/main/.*/ops/.*\\.java")) {
        Pattern.compile("\"((?:watchgate|process|jvm)_\\w+)\"")
            .matcher(Files.readString(file))
            .results()
            .forEach(name -> inSources.add(name.group(1)));
      }
    }
    List<String> documented =
        MetricsPage.metrics().values().stream()
            .flatMap(List::stream)
            .map(metric -> metric.name().replaceAll("_total$", ""))
            .toList();
    assertThat(documented).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(inSources);
    assertThat(MetricsPage.metrics().keySet())
        .as("classes that register metrics, without a topic in MetricsPage")
        .containsExactlyInAnyOrderElementsOf(MetricsPage.topics());
  }
}
