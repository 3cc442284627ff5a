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
  void aShortSnapshotIsNotCounted() {
    progress.begin(1_000);
    now = now.plusMillis(300);
    progress.more(1_000);
    progress.end();

    assertThat(shown()).isEmpty();
  }

  @Test
  void aLongOneIsCountedTenTimesASecondAndWipedOut() {
    progress.begin(120_000);
    now = now.plusMillis(400);
    progress.more(1_500);
    assertThat(shown()).isEqualTo("\r\033[K1,500 of about 120,000 objects");
    now = now.plusMillis(99);
    progress.more(1);
    assertThat(shown()).isEmpty();
    now = now.plusMillis(1);
    progress.more(118_500);
    assertThat(shown()).isEqualTo("\r\033[K120,001 objects");
    progress.end();
    assertThat(shown()).isEqualTo("\r\033[K");
    now = now.plusSeconds(10);
    progress.more(1);
    assertThat(shown()).as("after its end").isEmpty();
  }

  @Test
  void whateverIsSaidWipesItOutFirst() {
    progress.begin(0);
    now = now.plusSeconds(1);
    progress.more(7);
    shown();
    new ReconnectReporter(terminal, Optional.of(progress)).say("something");

    assertThat(shown()).isEqualTo("\r\033[Kwatchgate: something\n");
  }
}
