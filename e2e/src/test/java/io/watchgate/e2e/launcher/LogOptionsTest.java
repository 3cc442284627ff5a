package io.watchgate.e2e.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.faults.Subscriber;
import io.watchgate.e2e.kube.Json;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Log of a served gateway, in a process of its own: format and level are global to one. */
final class LogOptionsTest {
  private static Command serve(String... options) {
    List<String> line =
        new ArrayList<>(
            List.of("serve", "--listen", "127.0.0.1:0", "--http-listen", "127.0.0.1:0"));
    line.addAll(List.of(options));
    return Command.start(line.toArray(String[]::new));
  }

  @Test
  void json_eachLineIsAnObject() {
    try (Command gateway =
        serve("--sandbox", "--sandbox-listen", "127.0.0.1:0", "--log-format", "json")) {
      gateway.awaitServing();

      assertThat(gateway.err())
          .isNotEmpty()
          .allSatisfy(
              line -> {
                assertThat(Json.parse(line).at("/timestamp").isNumber()).isTrue();
                assertThat(Json.parse(line).at("/level").asText()).isIn("INFO", "WARN");
                assertThat(Json.parse(line).at("/formattedMessage").asText()).isNotEmpty();
              });
    }
  }

  /** The message about the apiserver is a warning, and messages of lower levels come before it. */
  @Test
  void level_isTheLowestThatIsLogged(@TempDir Path folder) throws IOException {
    Path kubeconfig = Command.kubeconfig(URI.create("http://127.0.0.1:1"), folder);
    try (Command gateway = serve("--kubeconfig", kubeconfig.toString(), "--log-level", "warn")) {
      await()
          .atMost(Subscriber.LIMIT)
          .until(() -> gateway.err().stream().anyMatch(line -> line.contains("waiting for")));

      assertThat(gateway.err()).allMatch(line -> line.contains(" WARN "));
    }
  }
}
