package io.watchgate.cli;

import io.watchgate.bench.BenchObserver;
import io.watchgate.check.run.CheckObserver;
import java.io.PrintStream;
import java.util.Locale;

/**
 * Progress message of a benchmark or check: one line in place on a terminal, otherwise a line every
 * few seconds. Not thread-safe.
 */
final class ProgressLine implements BenchObserver, CheckObserver {
  private static final String WIPE = "\r\033[K";

  private final PrintStream err;
  private final boolean inPlace;
  private final double intervalSeconds;
  private String stage = "";
  private double lastPrintedSeconds;

  /**
   * Prints nothing yet.
   *
   * @param quietSeconds seconds between lines if stderr is no terminal
   */
  ProgressLine(Stdio stdio, double quietSeconds) {
    this.err = stdio.err();
    this.inPlace = stdio.isTerminal(Stdio.Stream.ERR);
    this.intervalSeconds = quietSeconds;
  }

  @Override
  public void progress(
      String now, double elapsedSeconds, double seconds, double deliveriesPerSecond) {
    if (!now.equals(stage)) {
      stage = now;
      lastPrintedSeconds = 0;
    }
    show(
        elapsedSeconds,
        String.format(
            Locale.ROOT,
            "%s, %.0f of %.0f s: %,.0f deliveries/s",
            now,
            elapsedSeconds,
            seconds,
            deliveriesPerSecond));
  }

  @Override
  public void progress(double elapsedSeconds, double seconds, long writes) {
    show(
        elapsedSeconds,
        String.format(Locale.ROOT, "%.0f of %.0f s: %,d writes", elapsedSeconds, seconds, writes));
  }

  private void show(double elapsedSeconds, String line) {
    if (inPlace) {
      err.print(WIPE + line);
      err.flush();
    } else if (elapsedSeconds - lastPrintedSeconds >= intervalSeconds - 0.5) {
      lastPrintedSeconds = elapsedSeconds;
      err.println(line);
    }
  }

  /** Prints a permanent line. */
  @Override
  public void step(String step) {
    end();
    err.println(step);
  }

  /** Removes the progress line before other output. */
  void end() {
    if (inPlace) {
      err.print(WIPE);
      err.flush();
    }
  }
}
