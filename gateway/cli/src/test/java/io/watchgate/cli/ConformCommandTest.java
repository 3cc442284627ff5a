package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code watchgate conform} with programs that are no clients. */
final class ConformCommandTest {
  private static final String STOP = "stop-ends-the-client-not-found";

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @TempDir private Path folder;
  private Path known;

  @BeforeEach
  void writeKnown() throws Exception {
    known = Files.writeString(folder.resolve("known"), STOP + " # it prints nothing\n");
  }

  private int conform(String... arguments) {
    return Main.run(
        out,
        new PrintStream(err, true, StandardCharsets.UTF_8),
        InstantSource.system(),
        Stream.concat(Stream.of("conform"), Stream.of(arguments)).toArray(String[]::new));
  }

  private String printed() {
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void withoutProgram_casesAreListed() {
    assertThat(conform()).isZero();
    assertThat(printed()).contains("\nthree-silent-intervals\n  Rule 9: ");
  }

  @Test
  void programThatEnds_fails() throws Exception {
    Path junit = folder.resolve("junit.xml");
    int code = conform("--case", STOP, "--junit", junit.toString(), "--", "sh", "-c", "echo '{'");

    assertThat(code).isEqualTo(1);
    assertThat(printed())
        .startsWith("FAILED: " + STOP)
        .contains(
            "it ended with 0; expected 1",
            "a line on stdout is no JSON: {",
            "printed []; expected ADDED shop/web, SYNCED, ERROR NOT_FOUND",
            "stream 1: the client did not open it")
        .endsWith("0 of 1 cases pass\n");
    assertThat(junit).content().contains("tests=\"1\" failures=\"1\"", "<failure>FAILED: " + STOP);
  }

  @Test
  void programThatHangs_isEnded() {
    assertThat(conform("--case", STOP, "--timeout", "100ms", "--", "sh", "-c", "exec sleep 600"))
        .isEqualTo(1);
    assertThat(printed()).contains("it has not ended within");
  }

  @Test
  void knownFailure_isNoError() {
    int code = conform("--case", STOP, "--known", known.toString(), "--", "true");

    assertThat(code).isZero();
    assertThat(printed()).startsWith("known failure: " + STOP);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --case none -- true     | 2 | --case: there is no case 'none'; 'watchgate conform' lists them
          --timeout 0s -- true    | 2 | --timeout: '0s' is not a duration above 0
          --timeout 11m -- true   | 2 | --timeout is at most 10m
          --known /none -- true   | 1 | /none
          --case cluster-scoped-objects -- /none | 1 | /none
          """)
  void wrongArguments_areNamed(String arguments, int code, String error) {
    assertThat(conform(List.of(arguments.split(" ")).toArray(String[]::new))).isEqualTo(code);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains(error);
  }
}
