package io.watchgate.e2e.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.e2e.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Check of a {@code mvn} command: its modules, profiles, executions, properties and test classes
 * must exist in the build. The command is not run, because most would run this test again.
 */
final class MavenCommand {
  private static final Set<String> PHASES = Set.of("test", "verify", "install");
  private static final Set<String> FLAGS = Set.of("-q", "-am", "-N", "-B");

  /** Properties that Maven's own plugins read. */
  private static final Set<String> OF_PLUGINS =
      Set.of("skipTests", "surefire.failIfNoSpecifiedTests", "test");

  private static final Pattern GOAL = Pattern.compile("([a-z]+):([a-z-]+)(?:@([a-z-]+))?");
  private static final Pattern PROPERTY = Pattern.compile("-D'?([A-Za-z.]+)(?:=(.*?))?'?");

  private MavenCommand() {}

  static void check(String command) {
    List<String> words = Pattern.compile(" +").splitAsStream(command).toList();
    assertThat(words).first().isEqualTo("mvn");
    String poms = poms();
    String module = "";
    for (int i = 1; i < words.size(); i++) {
      String word = words.get(i);
      var goal = GOAL.matcher(word);
      var property = PROPERTY.matcher(word.replace("='", "="));
      if (PHASES.contains(word) || FLAGS.contains(word)) {
        continue;
      }
      if (word.equals("-pl")) {
        module = words.get(++i);
        assertThat(Repository.root().resolve(module).resolve("pom.xml")).exists();
      } else if (word.startsWith("-P")) {
        assertThat(poms).contains("<id>" + word.substring(2) + "</id>");
      } else if (property.matches()) {
        checkProperty(poms, module, property.group(1), property.group(2));
      } else if (goal.matches()) {
        assertThat(poms)
            .containsPattern("(maven-%1$s|%1$s-maven)-plugin<".formatted(goal.group(1)));
        if (goal.group(3) != null) {
          assertThat(poms).contains("<id>" + goal.group(3) + "</id>");
        }
      } else {
        throw new AssertionError("'" + word + "' of: " + command);
      }
    }
  }

  private static void checkProperty(String poms, String module, String name, String value) {
    assertThat(OF_PLUGINS.contains(name) || poms.contains("<" + name + ">"))
        .as("-D%s is read by the build", name)
        .isTrue();
    switch (name) {
      case "test", "benchmark" -> assertThat(testSources(module, value)).as(name).isNotEmpty();
      case "benchmark.main" ->
          assertThat(testSources(module, value.substring(value.lastIndexOf('.') + 1)))
              .singleElement()
              .asString()
              .endsWith(value.replace('.', '/') + ".java");
      default -> {}
    }
  }

  private static List<Path> testSources(String module, String pattern) {
    var matcher = FileSystems.getDefault().getPathMatcher("glob:" + pattern + ".java");
    return Repository.sources(module).stream()
        .filter(file -> file.toString().matches(".*/src/(test|benchmark|fuzz)/java/.*"))
        .filter(file -> matcher.matches(file.getFileName()))
        .toList();
  }

  private static String poms() {
    return Repository.sources("").stream()
        .filter(file -> file.endsWith("pom.xml"))
        .map(
            file -> {
              try {
                return Files.readString(file);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            })
        .collect(Collectors.joining("\n"));
  }
}
