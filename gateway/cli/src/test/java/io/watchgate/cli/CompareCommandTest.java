package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.bench.compare.Contender;
import io.watchgate.bench.compare.Scenario;
import io.watchgate.bench.compare.Scenarios;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** The scenarios of {@code watchgate compare} are valid command lines of {@code bench}. */
class CompareCommandTest {
  @SuppressWarnings("unused") // read by JUnit
  private static final Iterable<Scenario> ROWS = Scenarios.ALL;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(List<String> line) {
    return Main.run(
        out,
        new PrintStream(err, true, StandardCharsets.UTF_8),
        InstantSource.system(),
        line.toArray(String[]::new));
  }

  @ParameterizedTest
  @FieldSource("ROWS")
  void everyContender_isValidBenchCommandLine(Scenario row) {
    for (Contender side : row.contenders()) {
      err.reset();
      List<String> line = new ArrayList<>(List.of("bench"));
      line.addAll(side.load());
      // This invalid value is checked after all other options.
      line.add("--apiserver=https://127.0.0.1:1");
      assertThat(run(line)).isEqualTo(2);
      assertThat(err.toString(StandardCharsets.UTF_8)).contains("for https use --kubeconfig");
    }
  }

  @Test
  void direct_withoutApiserver_isRefused() {
    assertThat(run(List.of("compare", "direct"))).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("row direct needs a kube-apiserver", "e2e/apiserver/build");
  }

  @Test
  void withoutRow_listsRows() {
    assertThat(run(List.of("compare"))).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .hasLineCount(Scenarios.ALL.size())
        .contains("1,000 streams on 10 connections");
  }
}
