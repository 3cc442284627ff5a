package io.watchgate.cli.output;

import java.io.IOException;

/** Failure of a command that was run for an event: a status other than 0, or a failed start. */
public final class CommandFailedException extends IOException {
  private static final long serialVersionUID = 1;

  CommandFailedException(String message) {
    super(message);
  }
}
