package io.watchgate.e2e.project;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.e2e.Repository;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Test of the API of the Java SDK: what programs can use is what {@code client-sdk/java/api.txt}
 * has. A line that goes or changes breaks a program that uses it.
 */
final class PublicApiTest {
  private static final Path LISTING = Repository.root().resolve("client-sdk/java/api.txt");
  private static final ToolProvider JAVAP = ToolProvider.findFirst("javap").orElseThrow();

  /** {@code -Dwatchgate.api.write=true} writes the file instead. */
  @Test
  void api_isTheListedOne() throws IOException {
    String api = api("client-sdk/java") + api("client-sdk/java-testing");
    if (Boolean.getBoolean("watchgate.api.write")) {
      Files.writeString(LISTING, api);
    }
    assertThat(api)
        .as(
            "%s: write it with -Dwatchgate.api.write=true, and put what goes or changes into"
                + " CHANGELOG.md",
            LISTING)
        .isEqualTo(Files.readString(LISTING));
  }

  private static String api(String module) throws IOException {
    Path classes = Repository.root().resolve(module).resolve("target/classes");
    List<String> names = new ArrayList<>();
    try (Stream<Path> files = Files.walk(classes)) {
      files
          .map(file -> classes.relativize(file).toString())
          .filter(file -> file.endsWith(".class") && !file.endsWith("-info.class"))
          .map(file -> file.substring(0, file.length() - ".class".length()).replace('/', '.'))
          .sorted()
          .forEach(names::add);
    }
    return names.stream()
        .map(name -> members(classes, name))
        .filter(text -> text.startsWith("public "))
        .collect(Collectors.joining());
  }

  private static String members(Path classes, String name) {
    StringWriter out = new StringWriter();
    PrintWriter printer = new PrintWriter(out);
    int code = JAVAP.run(printer, printer, "-protected", "-cp", classes.toString(), name);
    assertThat(code).as(out.toString()).isZero();
    return out.toString()
        .lines()
        .filter(line -> !line.startsWith("Compiled from "))
        .map(line -> line + "\n")
        .collect(Collectors.joining());
  }
}
