package io.watchgate.cli;

import io.watchgate.bench.BenchObserver;
import java.util.Locale;

/** Progress messages of a benchmark. Not thread-safe. */
final class BenchProgress implements BenchObserver {
  private final ProgressLine line;
  private String stage = "";

  BenchProgress(Stdio stdio) {
    this.line = new ProgressLine(stdio, 5);
  }

  @Override
  public void step(String what) {
    line.printLine(what);
  }

  @Override
  public void progress(
      String now, double elapsedSeconds, double seconds, double deliveriesPerSecond) {
    if (!now.equals(stage)) {
      stage = now;
      line.restart();
    }
    line.show(
        elapsedSeconds,
        String.format(
            Locale.ROOT,
            "%s, %.0f of %.0f s: %,.0f deliveries/s",
            now,
            elapsedSeconds,
            seconds,
            deliveriesPerSecond));
  }

  /** Removes the progress line before other output. */
  void end() {
    line.end();
  }
}
