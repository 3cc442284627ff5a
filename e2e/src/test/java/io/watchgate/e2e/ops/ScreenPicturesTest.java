package io.watchgate.e2e.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.client.WatchClient;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.documents.TerminalPicture;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.ops.PseudoTerminal.Output;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Test that draws the picture of {@code watchgate top} in the documents, from the real output
 * before two gateways. Its figures are those of the run, so a build does not compare it.
 */
@Requires(RequiredTool.PYTHON)
final class TopPictureTest {
  private static void watch(WatchClient client, String name, String resource, String labels) {
    var _ = client.watch(TopKeysTest.request(name, resource, labels), _ -> {});
  }

  /** {@code -Dwatchgate.picture.write=true} writes the picture of the documents. */
  @Test
  void table_isDrawn() throws Exception {
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
          new PseudoTerminal(Output.SHOWN, "top", "--server", servers, "--sort", "sent")) {
        String picture = top.awaitPicture("4 of 4 streams.*node-agent");
        String svg = new TerminalPicture(lines(picture)).svg();

        assertThat(svg).contains("dashboard", "autoscaler", "node-agent", "sorted by sent");
        boolean writes = Boolean.getBoolean("watchgate.picture.write");
        Path folder =
            writes ? Repository.root().resolve("docs/assets") : Repository.target("pictures");
        Files.writeString(folder.resolve("top.svg"), svg);
      }
    }
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
