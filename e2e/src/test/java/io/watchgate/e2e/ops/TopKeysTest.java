package io.watchgate.e2e.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchUpdate;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.ops.PseudoTerminal.Output;
import io.watchgate.e2e.ops.PseudoTerminal.Size;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Test of the keys of {@code watchgate top} on a real terminal, before a real gateway. */
@Requires(RequiredTool.PYTHON)
final class TopKeysTest {
  private static final String EARLY_FIRST = "early-small.*later-large";
  private static final String LATER_FIRST = "later-large.*early-small";

  private static Command gateway;
  private static WatchClient client;
  private static String address;

  /** The first stream has sent less than the second. */
  @BeforeAll
  static void start() throws Exception {
    gateway =
        Command.start(
            "serve",
            "--sandbox",
            "--churn",
            "0",
            "--sandbox-listen",
            "127.0.0.1:0",
            "--listen",
            "127.0.0.1:0",
            "--http-listen",
            "127.0.0.1:0");
    Command.Ports ports = gateway.awaitServing();
    address = "127.0.0.1:" + ports.http();
    client = WatchClient.to("127.0.0.1", ports.grpc()).build();
    watch("early-small", "app=none");
    watch("later-large", "");
  }

  /** Returns the request of a stream that is to be a row of the table. */
  static ListAndWatchRequest request(String client, String resource, String labels) {
    return ListAndWatchRequest.newBuilder()
        .setClientName(client)
        .setSelection(
            Selection.newBuilder()
                .setResourceType(ResourceType.newBuilder().setResource(resource))
                .setLabelSelector(labels))
        .build();
  }

  private static void watch(String name, String labels) throws InterruptedException {
    CountDownLatch synced = new CountDownLatch(1);
    var _ =
        client.watch(
            request(name, "pods", labels),
            update -> {
              if (update instanceof WatchUpdate.SnapshotComplete) {
                synced.countDown();
              }
            });
    assertThat(synced.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @AfterAll
  static void stop() {
    client.close();
    gateway.close();
  }

  private static PseudoTerminal top(Output output) throws Exception {
    return new PseudoTerminal(output, Size.LARGE, "top", "--server", address, "--sort", "opened");
  }

  @Test
  void keys_changeOrderRowsAndPause_qEndsAndRestores() throws Exception {
    try (PseudoTerminal terminal = top(Output.SHOWN)) {
      terminal.awaitPicture(EARLY_FIRST + ".*sorted by opened, at most 20 rows; \\? shows");
      assertThat(terminal.askModes()).isEqualTo("raw");

      terminal.press("n");
      terminal.awaitPicture(LATER_FIRST + ".*sorted by sent");
      terminal.press("o");
      terminal.awaitPicture(EARLY_FIRST + ".*sorted by opened");
      terminal.press("?");
      terminal.awaitPicture("b behind, .*q quits");
      terminal.press("----"); // 20 to 1
      terminal.awaitPicture("1 of 2 streams.*early-small.*at most 1 rows");
      terminal.press("+");
      terminal.awaitPicture("2 of 2 streams.*at most 5 rows");
      terminal.press(" ");
      terminal.awaitPicture("paused: space continues");
      terminal.press("xyz\033[A"); // y is one, the others are not
      terminal.awaitPicture("sorted by bytes, at most 5 rows, paused");

      terminal.press("q");
      assertThat(terminal.awaitEnd()).isEqualTo("exit 0 modes same");
      assertThat(terminal.screen()).endsWith("\033[?25h\033[?1049l");
    }
  }

  /** Python has the negative number of a signal that ended a process; Java exits by itself. */
  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143"})
  void signal_endsAndRestores(String signal, int code) throws Exception {
    try (PseudoTerminal terminal = top(Output.SHOWN)) {
      terminal.awaitPicture("sorted by opened");
      assertThat(terminal.askModes()).isEqualTo("raw");

      terminal.signal(signal);

      assertThat(terminal.awaitEnd()).isEqualTo("exit " + code + " modes same");
      assertThat(terminal.screen()).endsWith("\033[?25h\033[?1049l");
    }
  }

  @Test
  void controlC_endsAndRestores() throws Exception {
    try (PseudoTerminal terminal = top(Output.SHOWN)) {
      terminal.awaitPicture("sorted by opened");

      terminal.press("\003");

      assertThat(terminal.awaitEnd()).isEqualTo("exit 130 modes same");
    }
  }

  @Test
  void output_breaks_errorRestores() throws Exception {
    try (PseudoTerminal terminal = top(Output.CUT)) {
      terminal.awaitPicture("sorted by opened");
      assertThat(terminal.askModes()).isEqualTo("raw");

      assertThat(terminal.awaitEnd()).isEqualTo("exit 1 modes same");
    }
  }
}
