package io.watchgate.cli;

import io.watchgate.check.run.CheckObserver;
import java.util.Locale;

/** Progress messages of a check. Not thread-safe. */
final class CheckProgress implements CheckObserver {
  private final ProgressLine line;

  CheckProgress(Stdio stdio) {
    this.line = new ProgressLine(stdio, 10);
  }

  @Override
  public void step(String what) {
    line.printLine(what);
  }

  @Override
  public void progress(double elapsedSeconds, double seconds, long writes) {
    line.show(
        elapsedSeconds,
        String.format(Locale.ROOT, "%.0f of %.0f s: %,d writes", elapsedSeconds, seconds, writes));
  }

  /** Removes the progress line before other output. */
  void end() {
    line.end();
  }
}
