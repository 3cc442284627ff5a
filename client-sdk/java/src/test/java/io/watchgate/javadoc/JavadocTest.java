package io.watchgate.javadoc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Test that every example in the Javadoc of the client libraries occurs word for word in {@link
 * Examples}, and so compiles. Three dots, and empty lines, stand for left-out code.
 */
final class JavadocTest {
  private static final List<Path> SOURCES =
      List.of(Path.of("src/main/java"), Path.of("../java-testing/src/main/java"));
  private static final Path EXAMPLES = Path.of("src/test/java/io/watchgate/javadoc/Examples.java");

  /**
   * Package of fabric8's models. Examples use two classes {@code Pod}; the copy that compiles
   * writes fabric8's class with its package.
   */
  private static final String FABRIC8 = "io.fabric8.kubernetes.api.model.";

  private static final Pattern EXAMPLE =
      Pattern.compile("<pre>\\{@code\\n(.*?)\\n\\s*\\* }</pre>", Pattern.DOTALL);

  @Test
  void everyExample_compiles() throws IOException {
    String compiled = words(Files.readString(EXAMPLES));
    Map<Path, List<String>> examples = examples();

    assertThat(examples).hasSizeGreaterThanOrEqualTo(6);
    examples.forEach(
        (file, texts) ->
            assertThat(texts)
                .as("examples of %s", file)
                .allSatisfy(text -> assertThat(compiled).containsPattern(pattern(text))));
  }

  private static Map<Path, List<String>> examples() throws IOException {
    Map<Path, List<String>> examples = new TreeMap<>();
    for (Path sources : SOURCES) {
      try (Stream<Path> files = Files.walk(sources)) {
        files
            .filter(file -> file.toString().endsWith(".java"))
            .forEach(
                file -> {
                  List<String> found = examplesIn(file);
                  if (!found.isEmpty()) {
                    examples.put(file, found);
                  }
                });
      }
    }
    return examples;
  }

  private static List<String> examplesIn(Path file) {
    try {
      List<String> found = new ArrayList<>();
      Matcher matcher = EXAMPLE.matcher(Files.readString(file));
      while (matcher.find()) {
        found.add(matcher.group(1).replaceAll("(?m)^\\s*\\* ?", ""));
      }
      return found;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Pattern pattern(String example) {
    return Pattern.compile(
        Stream.of(words(example.replace("\n\n", "...")).split(" ?\\.\\.\\. ?", -1))
            .map(Pattern::quote)
            .reduce((left, right) -> left + ".*?" + right)
            .orElseThrow());
  }

  /** Normalizes line breaks and spaces. */
  private static String words(String java) {
    return java.replaceAll("\\s+", " ")
        .replace("( ", "(")
        .replace(" .", ".")
        .replace(FABRIC8, "")
        .strip();
  }
}
