package io.watchgate.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.conformance.ScriptedGateway;
import io.watchgate.e2e.program.Program;
import java.io.IOException;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;

/** Test of a client that knows two servers. */
interface SeveralServersCase {
  Program client();

  @Test
  default void deadServer_nextServerIsUsed() throws Exception {
    try (ScriptedGateway gateway = Streams.gateway(Streams.SNAPSHOT);
        WatchProgram watch =
            WatchProgram.start(client(), unusedPort(), "--server", "127.0.0.1:" + gateway.port())) {
      watch.awaitStory(story -> assertThat(story).endsWith("SYNCED"));

      assertThat(watch.state()).hasSize(1);
      await().untilAsserted(() -> assertThat(failures(watch)).as("failures").isEqualTo(1));
    }
  }

  /** Returns the number of failures that the program has told, on stdout or on stderr. */
  private static long failures(WatchProgram watch) {
    return watch.story().stream().filter(line -> line.startsWith("ERROR")).count()
        + watch.program().err().size();
  }

  @Test
  default void failedServer_nextServerResumes() throws Exception {
    try (ScriptedGateway first = Streams.gateway(Streams.SNAPSHOT);
        ScriptedGateway second = Streams.gateway(Streams.RESUMED);
        WatchProgram watch =
            WatchProgram.start(client(), first.port(), "--server", "127.0.0.1:" + second.port())) {
      watch.awaitStory(story -> assertThat(story).endsWith("SYNCED"));
      first.playMore(Streams.BROKEN);
      watch.awaitStory(story -> assertThat(story).endsWith("RESUMED"));

      assertThat(second.requests())
          .singleElement()
          .satisfies(received -> assertThat(received.token()).isEqualTo("t1"));
    }
  }

  private static int unusedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
