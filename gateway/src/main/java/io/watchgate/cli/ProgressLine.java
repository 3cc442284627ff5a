package io.watchgate.cli;

import java.io.PrintStream;

/** On a terminal one line in place, otherwise a line every few seconds. Not thread-safe. */
final class ProgressLine {
  private static final String WIPE = "\r\033[K";

  private final PrintStream err;
  private final boolean inPlace;
  private final double quietSeconds;
  private double saidAt;

  /**
   * Says nothing yet.
   *
   * @param quietSeconds between lines where nobody watches
   */
  ProgressLine(Stdio stdio, double quietSeconds) {
    this.err = stdio.err();
    this.inPlace = stdio.isTerminal(Stdio.Stream.ERR);
    this.quietSeconds = quietSeconds;
  }

  /** Seconds count from zero again. */
  void restart() {
    saidAt = 0;
  }

  /** How far it is. */
  void say(double elapsedSeconds, String line) {
    if (inPlace) {
      err.print(WIPE + line);
      err.flush();
    } else if (elapsedSeconds - saidAt >= quietSeconds - 0.5) {
      saidAt = elapsedSeconds;
      err.println(line);
    }
  }

  /** A line that stays. */
  void step(String what) {
    end();
    err.println(what);
  }

  /** Before something else is said. */
  void end() {
    if (inPlace) {
      err.print(WIPE);
      err.flush();
    }
  }
}
