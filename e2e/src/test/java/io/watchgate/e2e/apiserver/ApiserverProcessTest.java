package io.watchgate.e2e.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.e2e.ChildProcess;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.kube.Json;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Requires(RequiredTool.GO)
class ApiserverProcessTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  /** {@code inputEnded} of the program. */
  private static final int INPUT_ENDED = 3;

  /** Another program may take a port between the choice of the port and its use. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void takenPort_isReplaced(int which, @TempDir Path folder) throws Exception {
    try (ServerSocket first = open();
        ServerSocket second = open();
        ServerSocket third = open()) {
      List<ServerSocket> sockets = List.of(first, second, third);
      for (int i = 0; i < sockets.size(); i++) {
        if (i != which) {
          sockets.get(i).close();
        }
      }
      Process process =
          ChildProcess.start(
              new ProcessBuilder(
                      KubernetesProgram.APISERVER.path().toString(),
                      "serve",
                      "--dir",
                      folder.toString(),
                      "--ports",
                      sockets.stream()
                          .map(socket -> Integer.toString(port(socket)))
                          .collect(Collectors.joining(",")))
                  .redirectError(folder.resolve("log").toFile()));
      try {
        String ready = process.inputReader().readLine();
        assertThat(ready).as("see %s", folder.resolve("log")).isNotNull();
        assertThat(Json.parse(ready).get("server").asText())
            .isNotEqualTo("https://127.0.0.1:" + port(first));
        assertThat(Files.readString(folder.resolve("log")))
            .containsOnlyOnce("starting again on other ports")
            .contains(":" + port(sockets.get(which)) + ": bind: address already in use");
        process.getOutputStream().close();
        assertThat(process.waitFor(LIMIT)).as("it has ended").isTrue();
        assertThat(process.exitValue()).isEqualTo(INPUT_ENDED);
      } finally {
        process.destroyForcibly();
      }
    }
  }

  private static ServerSocket open() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  private static int port(ServerSocket socket) {
    return ((InetSocketAddress) socket.getLocalSocketAddress()).getPort();
  }

  /** The end of its input is the only sign that its JVM was killed. */
  @Test
  void process_endsWithItsInput(@TempDir Path folder) throws Exception {
    Process process =
        ChildProcess.start(
            new ProcessBuilder(
                    KubernetesProgram.APISERVER.path().toString(),
                    "serve",
                    "--dir",
                    folder.toString())
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD));
    try {
      process.getOutputStream().close();
      assertThat(process.waitFor(LIMIT)).as("it has ended").isTrue();
      assertThat(process.exitValue()).isEqualTo(INPUT_ENDED);
    } finally {
      process.destroyForcibly();
    }
  }
}
