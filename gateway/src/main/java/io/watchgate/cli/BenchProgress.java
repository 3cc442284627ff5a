package io.watchgate.cli;

import io.watchgate.bench.Observer;
import java.io.PrintStream;
import java.util.Locale;

/** On a terminal one line in place, otherwise a line every five seconds. Not thread-safe. */
final class BenchProgress implements Observer {
  private static final String WIPE = "\r\033[K";
  private static final double QUIET_SECONDS = 5;

  private final PrintStream err;
  private final boolean inPlace;
  private String stage = "";
  private double saidAt;

  BenchProgress(Stdio stdio) {
    this.err = stdio.err();
    this.inPlace = stdio.isTerminal(Stdio.Stream.ERR);
  }

  @Override
  public void step(String what) {
    end();
    err.println(what);
  }

  @Override
  public void progress(
      String now, double elapsedSeconds, double seconds, double deliveriesPerSecond) {
    if (!now.equals(stage)) {
      stage = now;
      saidAt = 0;
    }
    String line =
        String.format(
            Locale.ROOT,
            "%s, %.0f of %.0f s: %,.0f deliveries/s",
            now,
            elapsedSeconds,
            seconds,
            deliveriesPerSecond);
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
