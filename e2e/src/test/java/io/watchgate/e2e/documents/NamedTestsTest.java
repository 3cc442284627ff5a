package io.watchgate.e2e.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.e2e.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Test that the documents about testing name existing tests. */
final class NamedTestsTest {
  private static final Pattern NAME =
      Pattern.compile("`([A-Z]\\w+(?:Test|Fault|Cases?))(?:\\.(\\w+))?`");

  private static Map<String, String> sources() throws IOException {
    Map<String, String> sources = new HashMap<>();
    for (String module : List.of("formats", "gateway", "client-sdk", "e2e")) {
      for (Path file : Repository.sources(module)) {
        if (isOfTests(file)) {
          // Two modules may have a test of the same name.
          String name = file.getFileName().toString().replace(".java", "");
          sources.merge(name, Files.readString(file), String::concat);
        }
      }
    }
    return sources;
  }

  private static boolean isOfTests(Path file) {
    return file.toString().matches(".*/src/(test|fixtures|fuzz)/java/.*\\.java");
  }

  @ParameterizedTest
  @ValueSource(strings = {"e2e/README.md", "SECURITY.md"})
  void namedTestsAndFaults_exist(String page) throws IOException {
    Map<String, String> sources = sources();
    List<MatchResult> names =
        NAME.matcher(Files.readString(Repository.root().resolve(page))).results().toList();
    assertThat(names).hasSizeGreaterThan(30);
    List<String> missing =
        names.stream()
            .filter(name -> !exists(name.group(1), name.group(2), sources))
            .map(MatchResult::group)
            .toList();
    assertThat(missing).isEmpty();
  }

  private static boolean exists(String file, @Nullable String member, Map<String, String> sources) {
    String source = sources.getOrDefault(file, "");
    return Pattern.compile("\\b" + (member == null ? file : member) + "\\b").matcher(source).find();
  }
}
