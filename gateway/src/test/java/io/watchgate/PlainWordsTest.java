package io.watchgate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Language of comments and names, in all Java sources of the project. */
final class PlainWordsTest {
  /** A comment with its text behind the opening, or a string literal, which is skipped. */
  private static final Pattern COMMENT =
      Pattern.compile(
          "\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])+'"
              + "|/\\*+(?<block>.*?)\\*/|//(?<line>[^\n]*)",
          Pattern.DOTALL);

  private static final Pattern QUESTION =
      Pattern.compile("(?:What|How|Who|Whom|Where|Which|Whether|Why|Whose|That|As)\\b.*");

  private static final Pattern VAGUE =
      Pattern.compile(
          "\\b(?:whoever|whomever|nobody|somebody|anew|so many a|none the worse)\\b",
          Pattern.CASE_INSENSITIVE);

  /** Tests run in the folder of their module. */
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private record Comment(Path file, int line, String text) {
    @Override
    public String toString() {
      return file + ":" + line + ": " + text.substring(0, Math.min(100, text.length()));
    }
  }

  private static List<Path> sources(String folder) throws IOException {
    try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
      return files.filter(file -> file.toString().endsWith(".java")).sorted().toList();
    }
  }

  private static List<Comment> comments(String folder) throws IOException {
    List<Comment> comments = new ArrayList<>();
    for (Path file : sources(folder)) {
      String source = Files.readString(file);
      Matcher matcher = COMMENT.matcher(source);
      while (matcher.find()) {
        String text =
            matcher.group("block") == null ? matcher.group("line") : matcher.group("block");
        if (text != null) {
          int line = 1 + (int) source.substring(0, matcher.start()).lines().count();
          comments.add(
              new Comment(
                  ROOT.relativize(file), line, text.replaceAll("\\s*\n\\s*\\*?", " ").strip()));
        }
      }
    }
    assertThat(comments).isNotEmpty();
    return comments;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"gateway/src", "client-sdk/src", "client-testing/src", "e2e/src", "examples"})
  void comments_defineThings_andNameThem(String folder) throws IOException {
    List<Comment> comments = comments(folder);
    assertThat(comments)
        .as("comments that begin with a question word, where a noun defines the thing")
        .noneMatch(comment -> QUESTION.matcher(comment.text()).matches());
    assertThat(comments)
        .as("comments with a vague word, where a noun names the thing")
        .noneMatch(comment -> VAGUE.matcher(comment.text()).find());
  }

  @ParameterizedTest
  @ValueSource(strings = {"gateway/src/main", "client-sdk/src/main", "client-testing/src/main"})
  void simpleName_standsForOneType(String folder) throws IOException {
    Map<String, List<String>> byName =
        sources(folder).stream()
            .map(file -> ROOT.relativize(file).toString())
            .filter(file -> !file.endsWith("package-info.java"))
            .collect(
                Collectors.groupingBy(
                    file -> file.replaceAll(".*/", ""), TreeMap::new, Collectors.toList()));
    byName.values().removeIf(files -> files.size() == 1);
    assertThat(byName).as("types of one simple name").isEmpty();
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
