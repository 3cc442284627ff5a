package io.watchgate.cli;

import java.io.IOException;

/** Tells that nobody reads stdout any more from what else can go wrong with it. */
final class BrokenPipe {
  private BrokenPipe() {}

  static boolean is(IOException failure) {
    return String.valueOf(failure.getMessage()).contains("Broken pipe");
  }
}
