package io.watchgate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Test that the documents below {@code docs} name types, fields, options and files that exist. */
final class DocumentNamesTest {
  private static final Path ROOT = SourceFiles.ROOT;

  /**
   * Main sources of the gateway, and of the formats that it reads, by their path below {@code
   * io/watchgate}.
   */
  private static final Map<String, String> SOURCES = new TreeMap<>();

  @BeforeAll
  static void readSources() throws IOException {
    List<Path> files = new ArrayList<>(SourceFiles.below("gateway"));
    files.addAll(SourceFiles.below("formats"));
    for (Path file : files) {
      String path = file.toString();
      int at = path.indexOf("/src/main/java/io/watchgate/");
      if (at >= 0 && path.endsWith(".java")) {
        SOURCES.put(path.substring(path.indexOf("io/watchgate/", at) + 13), Files.readString(file));
      }
    }
    assertThat(SOURCES).hasSizeGreaterThan(300);
  }

  private static List<MatchResult> matches(String page, String pattern) throws IOException {
    List<MatchResult> matches =
        Pattern.compile(pattern, Pattern.MULTILINE)
            .matcher(Files.readString(ROOT.resolve(page)))
            .results()
            .toList();
    assertThat(matches).isNotEmpty();
    return matches;
  }

  private static final Pattern CAPITAL = Pattern.compile("[A-Z]");

  /** Returns the class of {@code fanout.LogEntry.Frame}. */
  private static Class<?> type(String name) {
    int simple = CAPITAL.matcher(name).results().findFirst().orElseThrow().start();
    String nested = name.substring(simple).replace('.', '$');
    try {
      return Class.forName(
          "io.watchgate." + name.substring(0, simple) + nested,
          false,
          DocumentNamesTest.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new AssertionError("no type " + name, e);
    }
  }

  /** Returns the package of a simple name, with a dot: {@code fanout.} of {@code Feed}. */
  private static String packageOf(String simpleName) {
    List<String> found =
        SOURCES.keySet().stream()
            .filter(path -> path.endsWith("/" + simpleName + ".java"))
            .toList();
    assertThat(found).as("types named %s", simpleName).hasSize(1);
    return found.getFirst().replaceAll("[^/]*$", "").replace('/', '.');
  }

  @Test
  void glossary_namesExistingTypes_andEachWordOnce() throws IOException {
    List<MatchResult> rows =
        matches("docs/glossary.md", "^\\| ([a-z -]+) \\| .* \\| (?:`(.*)`)? ?\\|$");
    assertThat(rows.stream().map(row -> row.group(1)).collect(Collectors.toSet()))
        .as("each word once, beside the head of the table")
        .hasSize(rows.size());
    rows.stream().map(row -> row.group(2)).filter(name -> name != null).forEach(name -> type(name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"limits", "limits-of-a-replica", "limits-of-callers"})
  void limits_nameExistingFields(String page) throws IOException {
    List<MatchResult> fields =
        matches("docs/reference/" + page + ".md", "`(([A-Z]\\w+)[.\\w]*)\\.(\\w+)`");
    assertThat(fields).hasSizeGreaterThan(35);
    for (MatchResult field : fields) {
      Class<?> owner = type(packageOf(field.group(2)) + field.group(1));
      assertThat(owner.getDeclaredFields())
          .as("fields of %s", field.group(1))
          .anyMatch(declared -> declared.getName().equals(field.group(3)));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"limits", "limits-of-a-replica", "limits-of-callers"})
  void limits_haveDefaultsOfFields(String page) throws IOException {
    List<MatchResult> rows =
        matches("docs/reference/" + page + ".md", "^\\| [^|]+ \\| ([^|]+) \\| (`[^|]+`) \\|.*\\|$");
    SoftAssertions all = new SoftAssertions();
    for (MatchResult row : rows) {
      for (String field : row.group(2).replace("`", "").split("[,;] ", -1)) {
        LimitDefault value =
            LimitDefault.of(
                type(packageOf(field.replaceAll("\\..*", "")) + field.replaceAll("\\.\\w+$", "")),
                field.replaceAll(".*\\.", ""));
        all.assertThat(value.isIn(row.group(1)))
            .as("%s is %s; the page says: %s", field, value, row.group(1))
            .isTrue();
      }
    }
    all.assertAll();
  }

  @ParameterizedTest
  @ValueSource(strings = {"limits", "limits-of-a-replica", "limits-of-callers"})
  void limits_nameExistingOptions(String page) throws IOException {
    String commands =
        SOURCES.entrySet().stream()
            .filter(source -> source.getKey().startsWith("cli/"))
            .map(Map.Entry::getValue)
            .collect(Collectors.joining());
    assertThat(matches("docs/reference/" + page + ".md", "`(--[a-z-]+)`"))
        .allSatisfy(option -> assertThat(commands).contains("\"" + option.group(1) + "\""));
  }

  @Test
  void filesOfAChange_namesExistingFilesAndMethods() throws IOException {
    List<MatchResult> rows =
        matches(
            "docs/reference/files-of-a-change.md",
            "^\\| [a-z ]+ \\| `(.*)` \\| (`.*`) \\| .* \\|$");
    assertThat(rows).hasSizeGreaterThan(10);
    for (MatchResult row : rows) {
      assertThat(SOURCES).containsKey(row.group(1));
      for (String method : row.group(2).replace("`", "").split(", ", -1)) {
        assertThat(SOURCES.get(row.group(1)))
            .as(row.group(1))
            .containsPattern("\\b" + method + "\\(");
      }
    }
  }
}
