package io.watchgate.cli;

import io.watchgate.cli.output.TerminalEscaper;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Handler of usage errors: prints the error, the synopsis and a pointer to the help instead of all
 * of the help.
 */
final class UsageErrorHandler implements IParameterExceptionHandler {
  @Override
  public int handleParseException(ParameterException wrong, String[] args) {
    CommandLine command = wrong.getCommandLine();
    PrintWriter err = command.getErr();
    err.println("watchgate: " + TerminalEscaper.inLines(String.valueOf(wrong.getMessage())));
    UnmatchedArgumentException.printSuggestions(wrong, err);
    err.print(command.getHelp().fullSynopsis());
    err.println("All of it: " + command.getCommandSpec().qualifiedName() + " --help");
    return command.getCommandSpec().exitCodeOnInvalidInput();
  }
}
