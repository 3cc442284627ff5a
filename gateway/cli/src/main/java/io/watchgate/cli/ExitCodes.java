package io.watchgate.cli;

/** Exit codes of client commands. */
final class ExitCodes {
  /** Success; or the reader of stdout has closed the pipe. */
  static final int SUCCESS = 0;

  /** The command cannot continue; stderr has the reason. */
  static final int FAILED = 1;

  /** The command line is wrong; stderr has the reason. */
  static final int WRONG_USAGE = 2;

  /** The machine was too busy for a result; the same code as EX_TEMPFAIL of sysexits.h. */
  static final int TRY_AGAIN = 75;

  /** A command that was run for an event failed; the same code as xargs. */
  static final int COMMAND_FAILED = 123;

  /** The timeout passed before the condition was met; the same code as timeout. */
  static final int TIMED_OUT = 124;

  private ExitCodes() {}
}
