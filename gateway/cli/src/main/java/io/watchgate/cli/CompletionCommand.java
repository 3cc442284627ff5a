package io.watchgate.cli;

import io.watchgate.cli.completion.CompletionScript;
import io.watchgate.cli.completion.CompletionScript.Shell;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code watchgate completion}: prints a shell's completion script. */
@Command(
    name = "completion",
    description = {
      "Prints a script that makes a shell complete commands, options, and the types,"
          + " namespaces and names of the gateway.",
      "For one session:",
      "  bash: source <(watchgate completion bash)",
      "  zsh:  source <(watchgate completion zsh), after compinit",
      "  fish: watchgate completion fish | source",
      "To keep it, put that line into the shell's own file:",
      "  ~/.bashrc, ~/.zshrc or ~/.config/fish/config.fish"
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the script was printed",
      "1:stdout cannot be written",
      "2:the command line is wrong"
    })
final class CompletionCommand implements Callable<Integer> {
  private final Stdio stdio;
  private final CommandTree commands;

  @Parameters(paramLabel = "SHELL", description = "bash, zsh or fish.")
  private @Nullable Shell shell;

  /**
   * Creates the command.
   *
   * @param commands the commands to complete
   */
  CompletionCommand(Stdio stdio, CommandTree commands) {
    this.stdio = stdio;
    this.commands = commands;
  }

  @Override
  public Integer call() throws IOException {
    if (shell != null) {
      stdio.print(CompletionScript.of(commands.allCommands().getCommandSpec(), shell));
    }
    return ExitCodes.SUCCESS;
  }
}
