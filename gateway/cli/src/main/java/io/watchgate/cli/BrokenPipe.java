package io.watchgate.cli;

import java.io.IOException;

/** Distinguishes a closed reader of stdout from other write errors. */
final class BrokenPipe {
  private BrokenPipe() {}

  static boolean isCauseOf(IOException failure) {
    return String.valueOf(failure.getMessage()).contains("Broken pipe");
  }
}
