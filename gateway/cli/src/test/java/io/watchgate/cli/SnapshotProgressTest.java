package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Progress line of a snapshot. */
class SnapshotProgressTest {
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final PrintStream terminal = new PrintStream(err, true, StandardCharsets.UTF_8);
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final SnapshotProgress progress = new SnapshotProgress(terminal, () -> now);

  private String shown() {
    String text = err.toString(StandardCharsets.UTF_8);
    err.reset();
    return text;
  }

  @Test
  void shortSnapshot_showsNothing() {
    progress.begin(1_000);
    now = now.plusMillis(300);
    progress.addObjects(1_000);
    progress.end();

    assertThat(shown()).isEmpty();
  }

  @Test
  void longSnapshot_isCountedEvery100ms_thenErased() {
    progress.begin(120_000);
    now = now.plusMillis(400);
    progress.addObjects(1_500);
    assertThat(shown()).isEqualTo("\r\033[K1,500 of about 120,000 objects");
    now = now.plusMillis(99);
    progress.addObjects(1);
    assertThat(shown()).isEmpty();
    now = now.plusMillis(1);
    progress.addObjects(118_500);
    assertThat(shown()).isEqualTo("\r\033[K120,001 objects");
    progress.end();
    assertThat(shown()).isEqualTo("\r\033[K");
    now = now.plusSeconds(10);
    progress.addObjects(1);
    assertThat(shown()).as("after its end").isEmpty();
  }

  @Test
  void message_erasesLineFirst() {
    progress.begin(0);
    now = now.plusSeconds(1);
    progress.addObjects(7);
    shown();
    new ReconnectReporter(terminal, Optional.of(progress)).report("something");

    assertThat(shown()).isEqualTo("\r\033[Kwatchgate: something\n");
  }
}
