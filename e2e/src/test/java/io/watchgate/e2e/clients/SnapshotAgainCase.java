package io.watchgate.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.e2e.program.Program;
import org.junit.jupiter.api.Test;

/** Test of a client whose snapshot is replaced by another one before it is complete. */
interface SnapshotAgainCase {
  Program client();

  @Test
  default void snapshotBegunAgain_dropsTheFirst() throws Exception {
    Script script =
        Script.opened()
            .halfSnapshot(ScriptedGatewayCases.added("never", 1))
            .snapshot("t1", ScriptedGatewayCases.added("web", 1));
    try (ScriptedGateway gateway = new ScriptedGateway(script);
        WatchProgram watch = WatchProgram.start(client(), gateway.port())) {
      watch.awaitStory(story -> assertThat(story).endsWith("SYNCED"));

      assertThat(watch.story()).containsExactly("ADDED shop/web", "SYNCED");
    }
  }
}
