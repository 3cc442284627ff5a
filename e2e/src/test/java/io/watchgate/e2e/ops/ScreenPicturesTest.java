package io.watchgate.e2e.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.client.WatchClient;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.documents.TerminalPicture;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.ops.PseudoTerminal.Output;
import io.watchgate.e2e.ops.PseudoTerminal.Size;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests that draw the pictures of full-screen commands in the documents, from their real output.
 * The figures in them are those of the run, so a build does not compare them. {@code
 * -Dwatchgate.picture.write=true} writes the pictures of the documents.
 */
@Requires(RequiredTool.PYTHON)
final class ScreenPicturesTest {
  private static void watch(WatchClient client, String name, String resource, String labels) {
    var _ = client.watch(TopKeysTest.request(name, resource, labels), _ -> {});
  }

  @Test
  void top_isDrawn() throws Exception {
    try (Command one = Command.startSandbox();
        Command other = Command.startSandbox();
        WatchClient first = WatchClient.to("127.0.0.1", one.awaitServing().grpc()).build();
        WatchClient second = WatchClient.to("127.0.0.1", other.awaitServing().grpc()).build()) {
      watch(first, "ingress-controller", "services", "");
      watch(first, "autoscaler", "pods", "app=web");
      watch(second, "dashboard", "pods", "");
      watch(second, "node-agent", "configmaps", "");
      String servers =
          "127.0.0.1:" + one.awaitServing().http() + ",127.0.0.1:" + other.awaitServing().http();
      try (PseudoTerminal top =
          new PseudoTerminal(
              Output.SHOWN, Size.LARGE, "top", "--server", servers, "--sort", "sent")) {
        String picture = top.awaitPicture("4 of 4 streams.*node-agent");
        String svg = new TerminalPicture(lines(picture)).svg();

        assertThat(svg).contains("dashboard", "autoscaler", "node-agent", "sorted by sent");
        write("top.svg", svg);
      }
    }
  }

  private static PseudoTerminal liveTable(
      Command gateway, Map<String, String> environment, Size size) throws Exception {
    return new PseudoTerminal(
        environment,
        Output.SHOWN,
        size,
        "watch",
        "pods",
        "--live",
        "--server",
        "127.0.0.1:" + gateway.awaitServing().grpc());
  }

  /** A usual terminal, and a narrow one, in which the columns at the right are left out. */
  @ParameterizedTest
  @CsvSource({"80, 24", "60, 20"})
  void liveTable_fitsTerminal_isDrawn(int columns, int height) throws Exception {
    try (Command gateway = Command.startSandbox();
        PseudoTerminal terminal = liveTable(gateway, Map.of(), new Size(columns, height))) {
      List<String> lines = lines(terminal.awaitPicture("Running.*~ "));

      assertThat(lines).hasSizeLessThanOrEqualTo(height);
      assertThat(lines)
          .allSatisfy(
              line ->
                  assertThat(line.replaceAll("\033\\[\\d+m", ""))
                      .hasSizeLessThanOrEqualTo(columns));
      write("live-" + columns + ".svg", new TerminalPicture(lines).svg());
    }
  }

  /** The signs in the first column say what the colors say. */
  @Test
  void liveTable_noColor_isDrawn() throws Exception {
    try (Command gateway = Command.startSandbox();
        PseudoTerminal terminal = liveTable(gateway, Map.of("NO_COLOR", "1"), new Size(80, 16))) {
      List<String> lines = lines(terminal.awaitPicture("Running.*~ "));

      assertThat(lines).noneMatch(line -> line.contains("\033["));
      write("live-no-color.svg", new TerminalPicture(lines).svg());
    }
  }

  /** In a pipe a column names the event of each line, and nothing is colored. */
  @Test
  void watchInPipe_isDrawn() throws Exception {
    try (Command gateway = Command.startSandbox();
        Command watch =
            Command.start(
                "watch", "pods", "--server", "127.0.0.1:" + gateway.awaitServing().grpc())) {
      await().until(() -> watch.out().stream().filter(it -> it.startsWith("MODIFIED")).count() > 2);
      List<String> lines = List.copyOf(watch.out());

      assertThat(lines.getFirst()).matches("EVENT +NAMESPACE +NAME +READY .*");
      assertThat(lines).noneMatch(line -> line.contains("\033"));
      Stream<String> first = lines.stream().limit(4);
      Stream<String> changes = lines.stream().filter(it -> it.startsWith("MODIFIED")).limit(3);
      Stream<String> shown =
          Stream.of(Stream.of("$ ./watchgate watch pods | cat"), first, Stream.of("..."), changes)
              .flatMap(it -> it);
      write("pipe.svg", new TerminalPicture(shown.map(String::stripTrailing).toList()).svg());
    }
  }

  private static void write(String file, String svg) throws IOException {
    boolean writes = Boolean.getBoolean("watchgate.picture.write");
    Path folder = writes ? Repository.root().resolve("docs/assets") : Repository.target("pictures");
    Files.writeString(folder.resolve(file), svg);
  }

  /** Returns the lines of a screen, with colors and without other control sequences. */
  private static List<String> lines(String screen) {
    return screen
        .replaceAll("\033\\[[0-9;?]*[A-Zhl]", "")
        .replace("\r", "")
        .lines()
        .map(String::stripTrailing)
        .toList();
  }
}
