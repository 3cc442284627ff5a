package io.watchgate.cli;

import io.watchgate.check.run.CheckObserver;
import java.io.PrintStream;
import java.util.Locale;

/** On a terminal one line in place, otherwise a line every ten seconds. Not thread-safe. */
final class CheckProgress implements CheckObserver {
  private static final String WIPE = "\r\033[K";
  private static final double QUIET_SECONDS = 10;

  private final PrintStream err;
  private final boolean inPlace;
  private double saidAt;

  CheckProgress(Stdio stdio) {
    this.err = stdio.err();
    this.inPlace = stdio.isTerminal(Stdio.Stream.ERR);
  }

  @Override
  public void step(String what) {
    end();
    err.println(what);
  }

  @Override
  public void progress(double elapsedSeconds, double seconds, long writes) {
    String line =
        String.format(Locale.ROOT, "%.0f of %.0f s: %,d writes", elapsedSeconds, seconds, writes);
    if (inPlace) {
      err.print(WIPE + line);
      err.flush();
    } else if (elapsedSeconds - saidAt >= QUIET_SECONDS - 0.5) {
      saidAt = elapsedSeconds;
      err.println(line);
    }
  }

  /** Before something else is said. */
  void end() {
    if (inPlace) {
      err.print(WIPE);
      err.flush();
    }
  }
}
