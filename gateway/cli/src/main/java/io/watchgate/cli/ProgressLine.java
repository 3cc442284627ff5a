package io.watchgate.cli;

import java.io.PrintStream;

/**
 * Progress message: one line in place on a terminal, otherwise a line every few seconds. Not
 * thread-safe.
 */
final class ProgressLine {
  private static final String WIPE = "\r\033[K";

  private final PrintStream err;
  private final boolean inPlace;
  private final double intervalSeconds;
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

  /** Restarts the elapsed seconds at zero. */
  void restart() {
    lastPrintedSeconds = 0;
  }

  /** Shows the progress. */
  void show(double elapsedSeconds, String line) {
    if (inPlace) {
      err.print(WIPE + line);
      err.flush();
    } else if (elapsedSeconds - lastPrintedSeconds >= intervalSeconds - 0.5) {
      lastPrintedSeconds = elapsedSeconds;
      err.println(line);
    }
  }

  /** Prints a permanent line. */
  void printLine(String what) {
    end();
    err.println(what);
  }

  /** Removes the progress line before other output. */
  void end() {
    if (inPlace) {
      err.print(WIPE);
      err.flush();
    }
  }
}
