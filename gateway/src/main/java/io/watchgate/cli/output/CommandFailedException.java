package io.watchgate.cli.output;

import java.io.IOException;

/** A command that was run for an event did not end with 0, or could not be started. */
public final class CommandFailedException extends IOException {
  private static final long serialVersionUID = 1;

  CommandFailedException(String message) {
    super(message);
  }
}
