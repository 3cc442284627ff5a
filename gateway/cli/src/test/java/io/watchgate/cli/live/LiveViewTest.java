package io.watchgate.cli.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cli.output.RowStyle;
import io.watchgate.cli.output.TableShape;
import io.watchgate.table.TypeColumns;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** Switching to the alternate screen of the terminal, and restoring the terminal. */
final class LiveViewTest {
  /** Terminal that blocks every write until it is released. */
  private static final class SlowTerminal extends ByteArrayOutputStream {
    final CountDownLatch drawn = new CountDownLatch(1);
    final CountDownLatch released = new CountDownLatch(1);

    @Override
    public void flush() {
      drawn.countDown();
      try {
        released.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Test
  void end_terminalIsRestored() throws Exception {
    SlowTerminal terminal = new SlowTerminal();
    LiveView view =
        new LiveView(
            terminal,
            InstantSource.system(),
            new LiveTable(
                InstantSource.system(),
                new StalenessThreshold(Duration.ofMinutes(2)),
                TableShape.of(),
                TypeColumns::of),
            RowStyle.SIGNS,
            "title",
            () -> List.of("hint"));
    try (var pool = Executors.newCachedThreadPool()) {
      var run =
          pool.submit(
              () -> {
                view.run();
                return null;
              });
      terminal.drawn.await();
      var atTheEnd =
          pool.submit(
              () -> {
                view.end();
                return terminal.toString(StandardCharsets.UTF_8);
              });
      terminal.released.countDown();
      assertThat(atTheEnd.get()).startsWith("\033[?1049h").endsWith("\033[?25h\033[?1049l");
      run.get();
    }
  }
}
