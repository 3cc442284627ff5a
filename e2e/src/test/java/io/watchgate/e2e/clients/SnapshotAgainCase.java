package io.watchgate.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.conformance.CaseRun;
import io.watchgate.conformance.ConformanceCase;
import io.watchgate.e2e.program.Program;
import org.junit.jupiter.api.Test;

/**
 * Test of a client whose snapshot is replaced by another one before it is complete. A minimal
 * client prints no errors, so that it cannot pass the other cases of the conformance suite.
 */
interface SnapshotAgainCase {
  Program client();

  @Test
  default void snapshotBegunAgain_dropsTheFirst() throws Exception {
    ConformanceCase again =
        ConformanceCase.all().stream()
            .filter(one -> one.name().equals("snapshot-begun-again-drops-the-first"))
            .findAny()
            .orElseThrow();
    CaseRun run = new CaseRun(again, client().commandWithEnvironment(), CaseRun.DEFAULT_LIMIT);

    assertThat(run.run().differences()).isEmpty();
  }
}
