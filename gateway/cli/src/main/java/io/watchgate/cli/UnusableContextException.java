package io.watchgate.cli;

import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Failure of a context that cannot be used; the command line itself is not wrong. */
final class UnusableContextException extends ParameterException {
  UnusableContextException(CommandLine command, String message) {
    super(command, message);
  }
}
