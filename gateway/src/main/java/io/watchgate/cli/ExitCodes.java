package io.watchgate.cli;

/** How a client command ends. */
final class ExitCodes {
  /** What was asked is done; or whoever read stdout has left. */
  static final int DONE = 0;

  /** It cannot go on; stderr says why. */
  static final int FAILED = 1;

  /** The command line is wrong; stderr says what. */
  static final int WRONG_USAGE = 2;

  /** A command that was run for an event failed. What xargs says then. */
  static final int COMMAND_FAILED = 123;

  /** The time is up before what was waited for happened. What timeout says then. */
  static final int TIME_IS_UP = 124;

  private ExitCodes() {}
}
