package io.watchgate.cli.completion;

import io.watchgate.cli.completion.CompletedOption.Value;
import java.util.List;
import java.util.stream.Collectors;

/** Completion script for bash from 3.2 on, and for zsh's emulation of bash's completion. */
final class BashScript {
  private static final String HEAD =
      """
      # What a command prints; the last answer is used for 30 s.
      _PROGRAM_ask() {
        local now
        now=$(date +%s)
        if [ "$((now - ${_PROGRAM_asked:-0}))" -gt 30 ] || [ "$_PROGRAM_question" != "$*" ]; then
          _PROGRAM_answer=$("${COMP_WORDS[0]}" "$@" 2>/dev/null)
          _PROGRAM_asked=$now
          _PROGRAM_question=$*
        fi
      }

      # Names of the objects of a type: of all, or of those selected by further arguments.
      _PROGRAM_ask_names() {
        _PROGRAM_ask list "$1" -o 'jsonpath={.metadata.name}' "${@:2}"
      }

      # Names of the Watchgate contexts: the last column but one, without the heading.
      _PROGRAM_ask_contexts() {
        _PROGRAM_ask context list
        _PROGRAM_contexts=$(awk 'NR > 1 { print $(NF - 1) }' <<< "$_PROGRAM_answer")
      }

      # Sets the array all to the words of the line. Bash also splits them at "=" and ":".
      _PROGRAM_words() {
        local rest=$COMP_LINE word i
        all=()
        for ((i = 0; i <= COMP_CWORD; i++)); do
          word=${COMP_WORDS[i]}
          if [ $i = 0 ] || [[ $rest == [[:space:]]* ]]; then
            rest=${rest#"${rest%%[![:space:]]*}"}
            all+=("$word")
          else
            all[${#all[@]} - 1]+=$word
          fi
          rest=${rest#"$word"}
        done
      }

      # Bash replaces only what is behind the last "=" or ":" of a word; other shells the whole word.
      _PROGRAM() {
        local cur= head
        _PROGRAM_complete
        head=${cur%"${cur##*[=:]}"}
        case ${COMP_WORDBREAKS:-} in
          *:*) [ -z "$head" ] || COMPREPLY=("${COMPREPLY[@]#"$head"}") ;;
        esac
      }

      _PROGRAM_complete() {
        local command= words= type= given=0 all=() gateway=() namespace=() i option
        _PROGRAM_words
        local last=$((${#all[@]} - 1))
        local prev=${all[last - 1]}
        cur=${all[last]}
        case $cur in
          -*=*)
            prev=${cur%%=*}
            cur=${cur#*=}
            ;;
        esac
        for ((i = 1; i < last; i++)); do
          if [ -z "$command" ]; then
            case ${all[i]} in
              COMMANDS) command=${all[i]} ;;
            esac
            continue
          fi
          # One word, or with its value in the next one.
          option=("${all[i]}")
          case ${all[i]} in
            -*=*) ;;
            *)
              case $command:${all[i]} in
                VALUED)
                  i=$((i + 1))
                  option+=("${all[i]}")
                  ;;
              esac
              ;;
          esac
          case ${option[0]%%=*} in
            GATEWAY_VALUED | GATEWAY_FLAGS) gateway+=("${option[@]}") ;;
            -n | --namespace) namespace+=("${option[@]}") ;;
            --) return ;;
            -*) ;;
            *)
              [ $given = 0 ] && type=${option[0]}
              given=$((given + 1))
              ;;
          esac
        done
        COMPREPLY=()
        case $command:$prev in
      """;
  private static final String TYPE_AND_NAME =
      """
            if [[ $cur != -* ]]; then
              case $given:$cur in
                0:*/*)
                  _PROGRAM_ask_names "${cur%/*}" "${gateway[@]}" "${namespace[@]}"
                  COMPREPLY=($(compgen -P "${cur%/*}/" -W "$_PROGRAM_answer" -- "${cur##*/}"))
                  return
                  ;;
                0:*) _PROGRAM_ask types -o name "${gateway[@]}" ;;
                1:*) _PROGRAM_ask_names "$type" "${gateway[@]}" "${namespace[@]}" ;;
                *) return ;;
              esac
              words=$_PROGRAM_answer
            fi
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
        String pattern = command.pattern(option, " | ");
        if (option.isContext()) {
          appendLine(script, pattern + ")");
          appendLine(script, "  _PROGRAM_ask_contexts");
          appendLine(script, "  COMPREPLY=($(compgen -W \"$_PROGRAM_contexts\" -- \"$cur\"))");
          appendLine(script, "  return ;;");
          continue;
        }
        if (command.isNamespace(option)) {
          appendLine(script, pattern + ")");
          appendLine(script, "  _PROGRAM_ask_names namespaces \"${gateway[@]}\"");
          appendLine(script, "  COMPREPLY=($(compgen -W \"$_PROGRAM_answer\" -- \"$cur\"))");
          appendLine(script, "  return ;;");
          continue;
        }
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
        script.append(TYPE_AND_NAME);
      } else if (!command.words().isEmpty()) {
        appendLine(
            script, "  [[ $cur == -* ]] || words='" + String.join(" ", command.words()) + "'");
      }
      appendLine(script, "  ;;");
    }
    return (script + TAIL)
        .replace("COMMANDS", names(commands, " | "))
        .replace(
            "GATEWAY_VALUED",
            CompletedCommand.gatewayOptions(commands, value -> value != Value.NONE, " | "))
        .replace(
            "GATEWAY_FLAGS",
            CompletedCommand.gatewayOptions(commands, value -> value == Value.NONE, " | "))
        .replace("VALUED", CompletedCommand.valuedOptions(commands, " | "))
        .replace("PROGRAM", program);
  }

  private static void appendLine(StringBuilder script, String line) {
    script.append("    ").append(line).append('\n');
  }

  private static String names(List<CompletedCommand> commands, String separator) {
    return commands.stream().map(CompletedCommand::name).collect(Collectors.joining(separator));
  }
}
