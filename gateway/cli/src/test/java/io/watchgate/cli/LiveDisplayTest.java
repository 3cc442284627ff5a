package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cli.live.LiveTable;
import io.watchgate.cli.live.StalenessThreshold;
import io.watchgate.cli.output.RowStyle;
import io.watchgate.cli.output.TableShape;
import io.watchgate.table.TypeColumns;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Lines below the table of {@code watch --live}. */
final class LiveDisplayTest {
  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.parse("2026-01-01T00:00:00Z"));

  private final LiveDisplay display =
      new LiveDisplay(
          new Stdio(
              new ByteArrayOutputStream(),
              new PrintStream(new ByteArrayOutputStream()),
              CLOCK,
              Set.of(),
              Map.of()),
          new LiveTable(
              CLOCK,
              new StalenessThreshold(Duration.ofMinutes(2)),
              TableShape.of(),
              TypeColumns::of),
          RowStyle.SIGNS,
          "title");

  @Test
  void linesBelow_nameCtrlCOnce() {
    assertThat(display.linesBelow()).containsExactly("Ctrl-C ends");
    display.messages().println("watchgate: nothing was missed");
    assertThat(display.linesBelow())
        .containsExactly("watchgate: nothing was missed", "Ctrl-C ends");
    display.messages().println("watchgate: waiting; trying until it works, Ctrl-C ends");
    assertThat(display.linesBelow())
        .containsExactly("watchgate: waiting; trying until it works, Ctrl-C ends");
  }
}
