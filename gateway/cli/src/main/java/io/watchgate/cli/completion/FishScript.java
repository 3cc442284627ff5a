package io.watchgate.cli.completion;

import java.util.List;

/** Completion script for fish from 3.0 on. */
final class FishScript {
  private static final String HEAD =
      """
      # Words before the cursor, one per line: gateway (options that choose it, with values), namespace
      # (the same of -n), or arguments (the others).
      function __PROGRAM_line --argument-names wanted
        set -l all (commandline -opc)
        set -l command
        set -l i 2
        while test $i -le (count $all)
          set -l word $all[$i]
          set -l words $word
          if test -z "$command"
            string match -q -- '-*' $word; or set command $word
          else
            if not string match -q -- '-*=*' $word
              switch $command:$word
                case VALUED
                  set i (math $i + 1)
                  test $i -le (count $all); and set words $words $all[$i]
              end
            end
            set -l kind arguments
            switch (string split -m 1 = -- $word)[1]
              case GATEWAY_OPTIONS
                set kind gateway
              case -n --namespace
                set kind namespace
              case '-*'
                set kind ''
            end
            test "$kind" = $wanted; and printf '%s\n' $words
          end
          set i (math $i + 1)
        end
      end

      # What the program of the line prints.
      function __PROGRAM_ask
        set -l program (commandline -opc)[1]
        $program $argv 2>/dev/null
      end

      function __PROGRAM_namespaces
        __PROGRAM_ask list namespaces -o 'jsonpath={.metadata.name}' (__PROGRAM_line gateway)
      end

      # Names of the Watchgate contexts: the last column but one, without the heading.
      function __PROGRAM_contexts
        __PROGRAM_ask context list | awk 'NR > 1 { print $(NF - 1) }'
      end

      function __PROGRAM_types_and_names
        set -l arguments (__PROGRAM_line arguments)
        set -l current (commandline -ct)
        set -l type $arguments[1]
        set -l prefix ''
        switch (count $arguments)
          case 0
            if not string match -q '*/*' -- $current
              __PROGRAM_ask types -o name (__PROGRAM_line gateway)
              return
            end
            set type (string replace -r '/[^/]*$' '' -- $current)
            set prefix $type/
          case 1
          case '*'
            return
        end
        for name in (__PROGRAM_ask list $type -o 'jsonpath={.metadata.name}' (__PROGRAM_line gateway) (__PROGRAM_line namespace))
          echo $prefix$name
        end
      end

      """;

  private FishScript() {}

  static String of(String program, List<CompletedCommand> commands) {
    StringBuilder script =
        new StringBuilder(
            HEAD.replace(
                    "GATEWAY_OPTIONS",
                    CompletedCommand.gatewayOptions(commands, value -> true, " "))
                .replace("VALUED", CompletedCommand.valuedOptions(commands, " "))
                .replace("PROGRAM", program));
    String begin = "complete -c " + program;
    script.append(begin).append(" -f\n");
    for (CompletedCommand command : commands) {
      script.append(begin).append(" -n __fish_use_subcommand -a ").append(command.name());
      appendDescription(script, command.description());
      String within = begin + " -n '__fish_seen_subcommand_from " + command.name() + "'";
      for (CompletedOption option : command.options()) {
        script.append(within);
        appendOption(script, option);
        if (command.isNamespace(option)) {
          script.append(" -a '(__").append(program).append("_namespaces)'");
        } else if (option.isContext()) {
          script.append(" -a '(__").append(program).append("_contexts)'");
        }
        appendDescription(script, option.description());
      }
      if (command.takesType()) {
        script.append(within).append(" -a '(__").append(program).append("_types_and_names)'\n");
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
