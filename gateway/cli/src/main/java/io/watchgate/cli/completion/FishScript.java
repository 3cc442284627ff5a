package io.watchgate.cli.completion;

import java.util.List;

/** Completion script for fish from 3.0 on. */
final class FishScript {
  private FishScript() {}

  static String of(String program, List<CompletedCommand> commands) {
    StringBuilder script = new StringBuilder();
    String begin = "complete -c " + program;
    script.append(begin).append(" -f\n");
    for (CompletedCommand command : commands) {
      script.append(begin).append(" -n __fish_use_subcommand -a ").append(command.name());
      appendDescription(script, command.description());
      String within = begin + " -n '__fish_seen_subcommand_from " + command.name() + "'";
      for (CompletedOption option : command.options()) {
        script.append(within);
        appendOption(script, option);
        if (BashScript.isNamespace(command, option)) {
          script
              .append(" -a '(")
              .append(program)
              .append(" list namespaces -o \"jsonpath={.metadata.name}\" 2>/dev/null)'");
        }
        appendDescription(script, option.description());
      }
      if (command.takesType()) {
        script
            .append(within)
            .append(" -a '(")
            .append(program)
            .append(" types -o name 2>/dev/null)'\n");
      } else if (!command.words().isEmpty()) {
        script
            .append(within)
            .append(" -a '")
            .append(String.join(" ", command.words()))
            .append("'\n");
      }
    }
    return script.toString();
  }

  private static void appendOption(StringBuilder script, CompletedOption option) {
    for (String name : option.names()) {
      script.append(name.startsWith("--") ? " -l " : " -s ").append(name.replaceFirst("^--?", ""));
    }
    switch (option.value()) {
      case NONE -> {}
      case FILE -> script.append(" -r -F");
      case OTHER -> script.append(" -x");
    }
    if (!option.words().isEmpty()) {
      script.append(" -a '").append(String.join(" ", option.words())).append("'");
    }
  }

  private static void appendDescription(StringBuilder script, String description) {
    script
        .append(" -d '")
        .append(description.replace("\\", "\\\\").replace("'", "\\'"))
        .append("'\n");
  }
}
