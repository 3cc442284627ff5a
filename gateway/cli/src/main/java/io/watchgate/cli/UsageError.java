package io.watchgate.cli;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Factory of errors in a command line, which end the command with its synopsis. */
final class UsageError {
  private UsageError() {}

  /**
   * Returns the error.
   *
   * @param command the command whose synopsis is shown, which picocli sets before it parses
   */
  static ParameterException of(@Nullable CommandSpec command, String message) {
    return new ParameterException(requireNonNull(command).commandLine(), message);
  }

  /**
   * Returns the value of an option.
   *
   * @throws ParameterException if it is not from {@code min} to {@code max}
   */
  static int requireInRange(
      @Nullable CommandSpec command, String option, int value, int min, int max) {
    if (value < min || value > max) {
      throw of(command, option + " " + value + " is out of range: " + min + " to " + max);
    }
    return value;
  }
}
