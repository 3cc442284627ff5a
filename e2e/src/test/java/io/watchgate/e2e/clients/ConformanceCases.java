package io.watchgate.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.conformance.CaseRun;
import io.watchgate.conformance.ConformanceCase;
import io.watchgate.e2e.program.Program;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of a client by the conformance suite. */
interface ConformanceCases {
  Program client();

  /** Returns the cases that {@code watchgate conform} runs. */
  static List<ConformanceCase> cases() {
    return ConformanceCase.all();
  }

  @ParameterizedTest
  @MethodSource("io.watchgate.e2e.clients.ConformanceCases#cases")
  default void client_conforms(ConformanceCase played) throws Exception {
    assertConforms(client(), played);
  }

  static void assertConforms(Program client, ConformanceCase played) throws Exception {
    CaseRun run = new CaseRun(played, client.commandWithEnvironment(), CaseRun.DEFAULT_LIMIT);

    assertThat(run.run().differences()).as(played.about()).isEmpty();
  }
}
