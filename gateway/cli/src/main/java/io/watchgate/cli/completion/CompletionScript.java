package io.watchgate.cli.completion;

import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** Generator of a shell's completion script. */
public final class CompletionScript {
  /** Shell that a completion script can be generated for. */
  public enum Shell {
    BASH,
    /** Uses its emulation of bash's completion. */
    ZSH,
    FISH
  }

  private CompletionScript() {}

  /**
   * Returns the script.
   *
   * @param root command whose subcommands are completed
   */
  public static String of(CommandSpec root, Shell shell) {
    List<CompletedCommand> commands =
        root.subcommands().entrySet().stream()
            .map(
                command ->
                    CompletedCommand.of(command.getKey(), command.getValue().getCommandSpec()))
            .toList();
    return switch (shell) {
      case BASH -> BashScript.of(root.name(), commands);
      case ZSH ->
          "autoload -U +X bashcompinit && bashcompinit\n" + BashScript.of(root.name(), commands);
      case FISH -> FishScript.of(root.name(), commands);
    };
  }
}
