package io.watchgate.cli.completion;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Completion script for bash from 3.2 on, and for zsh's emulation of bash's completion. */
final class BashScript {
  private static final String HEAD =
      """
      # What is typed after PROGRAM; types are asked of the gateway, once a minute at most.
      _PROGRAM_types() {
        local now server=() i
        now=$(date +%s)
        for ((i = 1; i < COMP_CWORD; i++)); do
          case ${COMP_WORDS[i]} in
            --server | --tls-ca) server+=("${COMP_WORDS[i]}" "${COMP_WORDS[i + 1]}") ;;
            --tls) server+=(--tls) ;;
          esac
        done
        if [ "$((now - ${_PROGRAM_asked:-0}))" -gt 60 ] || [ "$_PROGRAM_server" != "${server[*]}" ]; then
          _PROGRAM_names=$("${COMP_WORDS[0]}" types -o name "${server[@]}" 2>/dev/null)
          _PROGRAM_asked=$now
          _PROGRAM_server=${server[*]}
        fi
      }

      _PROGRAM() {
        local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command= words= given=0 i
        # Bash makes words of their own of "=" and ":".
        if [ "$prev" = = ]; then
          prev=${COMP_WORDS[COMP_CWORD - 2]}
        elif [ "$cur" = = ]; then
          cur=
        fi
        for ((i = 1; i < COMP_CWORD; i++)); do
          if [ -z "$command" ]; then
            case ${COMP_WORDS[i]} in
              COMMANDS) command=${COMP_WORDS[i]} ;;
            esac
            continue
          fi
          case $command:${COMP_WORDS[i]} in
            *:--) return ;;
            VALUED) i=$((i + 1)) ;;
            *:-*) ;;
            *) given=$((given + 1)) ;;
          esac
        done
        COMPREPLY=()
        case $command:$prev in
      """;
  private static final String TAIL =
      """
        esac
        COMPREPLY=($(compgen -W "$words" -- "$cur"))
      }

      complete -o default -F _PROGRAM PROGRAM ./PROGRAM
      """;

  private BashScript() {}

  static String of(String program, List<CompletedCommand> commands) {
    StringBuilder script = new StringBuilder(HEAD);
    for (CompletedCommand command : commands) {
      for (CompletedOption option : command.options()) {
        String pattern = pattern(command, option);
        switch (option.value()) {
          case NONE -> {}
          case FILE ->
              appendLine(script, pattern + ") COMPREPLY=($(compgen -f -- \"$cur\")); return ;;");
          case OTHER ->
              appendLine(
                  script,
                  pattern
                      + ") COMPREPLY=($(compgen -W '"
                      + String.join(" ", option.words())
                      + "' -- \"$cur\")); return ;;");
        }
      }
    }
    script.append("  esac\n  case $command in\n");
    appendLine(script, "'') words='" + names(commands, " ") + " --help --version' ;;");
    for (CompletedCommand command : commands) {
      appendLine(script, command.name() + ")");
      appendLine(
          script,
          "  words='"
              + command.options().stream()
                  .flatMap(option -> option.names().stream())
                  .collect(Collectors.joining(" "))
              + "'");
      if (command.takesType()) {
        appendLine(script, "  if [ $given = 0 ] && [[ $cur != -* ]]; then");
        appendLine(script, "    _PROGRAM_types");
        appendLine(script, "    words=$_PROGRAM_names");
        appendLine(script, "  fi");
      } else if (!command.words().isEmpty()) {
        appendLine(
            script, "  [[ $cur == -* ]] || words='" + String.join(" ", command.words()) + "'");
      }
      appendLine(script, "  ;;");
    }
    return (script + TAIL)
        .replace("COMMANDS", names(commands, " | "))
        .replace("VALUED", valued(commands))
        .replace("PROGRAM", program);
  }

  private static void appendLine(StringBuilder script, String line) {
    script.append("    ").append(line).append('\n');
  }

  private static String names(List<CompletedCommand> commands, String separator) {
    return commands.stream().map(CompletedCommand::name).collect(Collectors.joining(separator));
  }

  private static String pattern(CompletedCommand command, CompletedOption option) {
    return option.names().stream()
        .map(name -> command.name() + ":" + name)
        .collect(Collectors.joining(" | "));
  }

  private static String valued(List<CompletedCommand> commands) {
    List<String> patterns = new ArrayList<>();
    for (CompletedCommand command : commands) {
      for (CompletedOption option : command.options()) {
        if (option.value() != CompletedOption.Value.NONE) {
          patterns.add(pattern(command, option));
        }
      }
    }
    return String.join(" | ", patterns);
  }
}
