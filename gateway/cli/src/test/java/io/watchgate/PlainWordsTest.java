package io.watchgate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Test of the language of comments, messages, names, documents and scripts of the project. */
final class PlainWordsTest {
  /** A comment with its text behind the opening, or a literal. */
  private static final Pattern TEXT =
      Pattern.compile(
          "(?<string>\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\")|'(?:\\\\.|[^'\\\\\n])+'"
              + "|/\\*+(?<block>.*?)\\*/|//(?<line>[^\n]*)",
          Pattern.DOTALL);

  /** Declaration of a type. */
  private static final Pattern DECLARED =
      Pattern.compile("\\b(?:class|interface|record|enum)\\s+([A-Z]\\w*)");

  /** Outermost type that a comment links to; types of other packages than ours are imported. */
  private static final Pattern LINK =
      Pattern.compile("\\{@link\\s+(?:io\\.watchgate\\.(?!proto)[a-z0-9.]+\\.)?([A-Z]\\w*)");

  private static final Pattern QUESTION =
      Pattern.compile("(?:What|How|Who|Whom|Where|Which|Whether|Why|Whose|That|As)\\b.*");

  private static final Pattern VAGUE =
      Pattern.compile(
          "\\b(?:whoever|whomever|nobody|somebody|anew|so many a|none the worse)\\b",
          Pattern.CASE_INSENSITIVE);

  /** Documents, mutations, and sources and scripts that are not Java. */
  private static final Pattern DOCUMENT =
      Pattern.compile(
          ".*\\.(?:md|proto|yaml|go|py|[cm]?[jt]s|rs|patch)|pom\\.xml"
              + "|watchgate|try|check|run|build|train|find-java|runtime|image|release|inside|tool"
              + "|promtool");

  private static final Path ROOT = SourceFiles.ROOT;

  private record Text(Path file, int line, String text) {
    @Override
    public String toString() {
      return file + ":" + line + ": " + text.substring(0, Math.min(100, text.length()));
    }
  }

  private static List<Path> sources(String folder) throws IOException {
    return SourceFiles.below(folder).stream()
        .filter(file -> file.toString().endsWith(".java"))
        .toList();
  }

  private static boolean isMain(Path file) {
    return file.toString().contains("/src/main/");
  }

  private static List<Text> texts(String folder, String... groups) throws IOException {
    List<Text> texts = new ArrayList<>();
    for (Path file : sources(folder)) {
      String source = Files.readString(file);
      Matcher matcher = TEXT.matcher(source);
      while (matcher.find()) {
        int line = 1 + (int) source.chars().limit(matcher.start()).filter(c -> c == '\n').count();
        Stream.of(groups)
            .map(matcher::group)
            .filter(Objects::nonNull)
            .map(text -> text.replaceAll("\\s*\n\\s*\\*?", " ").strip())
            .forEach(text -> texts.add(new Text(ROOT.relativize(file), line, text)));
      }
    }
    assertThat(texts).isNotEmpty();
    return texts;
  }

  @ParameterizedTest
  @ValueSource(strings = {"formats", "gateway", "client-sdk", "e2e/src", "examples"})
  void comments_defineThings_andNameThem(String folder) throws IOException {
    List<Text> comments = texts(folder, "block", "line");
    assertThat(comments.stream().filter(text -> QUESTION.matcher(text.text()).matches()))
        .as("comments that begin with a question word, where a noun defines the thing")
        .isEmpty();
    assertThat(comments.stream().filter(text -> VAGUE.matcher(text.text()).find()))
        .as("comments with a vague word, where a noun names the thing")
        .isEmpty();
  }

  /** The compiler does not look into comments, so a renamed type would leave its old name there. */
  @Test
  void links_nameExistingTypes() throws IOException {
    Set<String> types = new HashSet<>();
    List<Text> comments = new ArrayList<>();
    for (String folder : List.of("formats", "gateway", "client-sdk", "e2e/src")) {
      for (Path file : sources(folder)) {
        DECLARED.matcher(Files.readString(file)).results().forEach(at -> types.add(at.group(1)));
      }
      comments.addAll(texts(folder, "block"));
    }
    List<String> unknown = new ArrayList<>();
    for (Text comment : comments) {
      String source = Files.readString(ROOT.resolve(comment.file()));
      LINK.matcher(comment.text())
          .results()
          .map(link -> link.group(1))
          .filter(name -> !types.contains(name))
          .filter(name -> !source.contains("." + name + ";"))
          .filter(name -> !isInJavaLang(name))
          .forEach(name -> unknown.add(comment.file() + ":" + comment.line() + " " + name));
    }
    assertThat(unknown).as("types in comments that do not exist").isEmpty();
  }

  private static boolean isInJavaLang(String name) {
    try {
      Class.forName("java.lang." + name, false, null);
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"formats", "gateway", "client-sdk"})
  void messages_nameThings(String folder) throws IOException {
    assertThat(
            texts(folder, "string").stream()
                .filter(text -> isMain(text.file()))
                .filter(text -> VAGUE.matcher(text.text()).find()))
        .as("messages with a vague word, where a noun names the thing")
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"formats", "gateway", "client-sdk"})
  void simpleName_standsForOneType(String folder) throws IOException {
    Map<String, List<String>> byName =
        sources(folder).stream()
            .filter(PlainWordsTest::isMain)
            .map(file -> ROOT.relativize(file).toString())
            .filter(file -> !file.endsWith("package-info.java"))
            .collect(
                Collectors.groupingBy(
                    file -> file.replaceAll(".*/", ""), TreeMap::new, Collectors.toList()));
    byName.values().removeIf(files -> files.size() == 1);
    assertThat(byName).as("types of one simple name").isEmpty();
  }

  @Test
  void documentsAndScripts_nameThings() throws IOException {
    List<Text> lines = new ArrayList<>();
    for (Path file : documents()) {
      List<String> read = Files.readAllLines(file);
      for (int i = 0; i < read.size(); i++) {
        lines.add(new Text(ROOT.relativize(file), i + 1, read.get(i)));
      }
    }
    assertThat(lines).hasSizeGreaterThan(3_000);
    assertThat(lines.stream().filter(line -> VAGUE.matcher(line.text()).find()))
        .as("lines with a vague word, where a noun names the thing")
        .isEmpty();
  }

  /** Returns the documents, the contract, and all sources and scripts that are not Java. */
  private static List<Path> documents() throws IOException {
    return SourceFiles.below("").stream()
        .filter(file -> DOCUMENT.matcher(file.getFileName().toString()).matches())
        .filter(file -> !file.toString().contains("/resources/"))
        .toList();
  }

  /** The rules find what they are for. */
  @Test
  void rules_matchBadComments() {
    assertThat(QUESTION.matcher("What is held").matches()).isTrue();
    assertThat(QUESTION.matcher("Assembler of updates").matches()).isFalse();
    assertThat(VAGUE.matcher("listed Anew").find()).isTrue();
    assertThat(VAGUE.matcher("renewed").find()).isFalse();
  }
}
