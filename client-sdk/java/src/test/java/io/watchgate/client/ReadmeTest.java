package io.watchgate.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ReadmeTest {
  /** Repository root: Surefire runs in the module's folder. */
  private static final Path ROOT = Path.of("../..");

  @Test
  void javaExample_compiles() throws IOException {
    String readme = Files.readString(ROOT.resolve("README.md"));
    int start = readme.indexOf("```java\n") + "```java\n".length();
    String example = readme.substring(start, readme.indexOf("```", start));
    String source =
        Files.readString(
            ROOT.resolve("client-sdk/java/src/test/java/io/watchgate/client/ReadmeExample.java"));

    assertThat(withoutIndent(example)).isNotBlank();
    assertThat(withoutIndent(source)).contains(withoutIndent(example));
  }

  private static String withoutIndent(String code) {
    return code.lines().map(String::strip).collect(Collectors.joining("\n"));
  }
}
