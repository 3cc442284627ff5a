package io.watchgate.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.conformance.ScriptedGateway;
import io.watchgate.e2e.program.RunningProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the options, the output and the end of a client. */
interface CommandLineCases extends TlsAndTokenCase {
  /** The setup of a port-forward to a gateway in a cluster. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  default void emptyTokenFile_sendsNothingAndIsReadAgain(boolean exists, @TempDir Path folder)
      throws Exception {
    Path token = folder.resolve("token");
    if (exists) {
      Files.writeString(token, "\n");
    }
    try (ScriptedGateway gateway = Streams.gateway(Streams.SNAPSHOT);
        WatchProgram watch =
            WatchProgram.start(client(), gateway.port(), "--bearer-token-file", token.toString())) {
      watch.awaitStory(story -> assertThat(story).isNotEmpty());
      assertThat(watch.last("ERROR").get("message").textValue())
          .contains("there is no token to send", token.toString());
      Files.writeString(token, "first\n");
      watch.awaitStory(story -> assertThat(story).endsWith("SYNCED"));

      assertThat(watch.story())
          .startsWith("ERROR UNAVAILABLE")
          .containsOnly("ERROR UNAVAILABLE", "ADDED shop/web", "SYNCED");
      assertThat(gateway.authorizations()).containsExactly("Bearer first");
    }
  }

  @Test
  default void closedStdout_endsSilently() throws Exception {
    try (ScriptedGateway gateway = Streams.gateway(Streams.SNAPSHOT);
        WatchProgram watch = WatchProgram.start(client(), gateway.port())) {
      watch.awaitStory(story -> assertThat(story).endsWith("SYNCED"));
      watch.program().breakPipe();
      await()
          .atMost(Duration.ofMinutes(3))
          .until(
              () -> {
                gateway.playMore(Streams.CHANGE);
                return !watch.program().isAlive();
              });
      watch.program().end();
      assertThat(watch.program().err()).isEmpty();
    }
  }

  @Test
  default void unwritableTokenFile_isReportedInOneLine(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("no-such-folder").resolve("token");
    try (ScriptedGateway gateway = Streams.gateway(Streams.SNAPSHOT);
        WatchProgram watch =
            WatchProgram.start(client(), gateway.port(), "--position-file", file.toString())) {
      watch.awaitStory(story -> assertThat(story).endsWith("SYNCED"));
      assertThat(watch.program().stop()).isEqualTo(1);
      assertThat(watch.program().err()).singleElement().asString().contains(file.toString());
    }
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  default void unknownFlag_isNamed() throws Exception {
    try (RunningProgram watch = client().and("pods", "--frobnicate").start()) {
      assertThat(watch.end()).isEqualTo(2);
      assertThat(watch.err())
          .anyMatch(line -> line.contains("frobnicate"))
          .anyMatch(line -> line.startsWith("usage: "))
          .noneMatch(line -> line.contains("Traceback") || line.startsWith("    at "));
      assertThat(watch.out()).isEmpty();
    }
  }
}
