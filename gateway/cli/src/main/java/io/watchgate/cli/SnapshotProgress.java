package io.watchgate.cli;

import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;

/**
 * Progress line on a terminal that counts the objects of a long snapshot. It is erased before other
 * output. Not thread-safe, except {@link #clear}.
 */
final class SnapshotProgress {
  private static final Duration INITIAL_DELAY = Duration.ofMillis(400);
  private static final Duration UPDATE_INTERVAL = Duration.ofMillis(100);
  private static final String WIPE = "\r\033[K";

  private final PrintStream terminal;
  private final InstantSource clock;
  private Instant nextUpdate = Instant.MAX;
  private long estimate;
  private long count;
  private volatile boolean shown;

  SnapshotProgress(PrintStream terminal, InstantSource clock) {
    this.terminal = terminal;
    this.clock = clock;
  }

  /**
   * Starts counting a snapshot.
   *
   * @param objects estimated number of objects; 0 if unknown
   */
  void begin(long objects) {
    estimate = objects;
    count = 0;
    nextUpdate = clock.instant().plus(INITIAL_DELAY);
  }

  /** Counts further objects. */
  void addObjects(int objects) {
    count += objects;
    Instant now = clock.instant();
    if (now.isBefore(nextUpdate)) {
      return;
    }
    nextUpdate = now.plus(UPDATE_INTERVAL);
    if (!shown) {
      shown = true;
      Runtime.getRuntime().addShutdownHook(new Thread(this::clear, "progress"));
    }
    terminal.print(
        WIPE
            + String.format(Locale.ROOT, "%,d", count)
            + (estimate > count ? String.format(Locale.ROOT, " of about %,d", estimate) : "")
            + " objects");
    terminal.flush();
  }

  /** Erases the line. */
  void clear() {
    if (shown) {
      terminal.print(WIPE);
      terminal.flush();
    }
  }

  /** Ends counting, because the snapshot is complete or discarded. */
  void end() {
    nextUpdate = Instant.MAX;
    clear();
  }
}
