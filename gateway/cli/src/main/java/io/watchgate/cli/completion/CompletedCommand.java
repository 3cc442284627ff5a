package io.watchgate.cli.completion;

import io.watchgate.cli.completion.CompletedOption.Value;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Command in the model of completion.
 *
 * @param words candidates of its first argument, if there are few
 * @param takesType whether its first argument is a resource type
 */
record CompletedCommand(
    String name,
    String description,
    List<CompletedOption> options,
    List<String> words,
    boolean takesType) {
  private static final Set<String> OWN_OPTIONS_OF_TYPES =
      Set.of("-o", "--output", "-h", "--help", "-V", "--version");

  /**
   * Creates the model of a command.
   *
   * @param name one of its names
   */
  static CompletedCommand of(String name, CommandSpec command) {
    List<PositionalParamSpec> positional = command.positionalParameters();
    return new CompletedCommand(
        name,
        firstWords(command.usageMessage().description()),
        command.options().stream().map(CompletedOption::of).toList(),
        positional.isEmpty() ? List.of() : CompletedOption.words(positional.getFirst()),
        !positional.isEmpty() && positional.getFirst().paramLabel().startsWith("TYPE"));
  }

  /** Returns the text up to the first colon, semicolon or full stop. */
  static String firstWords(String[] description) {
    String text = description.length == 0 ? "" : description[0];
    for (int i = 0; i < text.length(); i++) {
      boolean ends = i + 1 == text.length() || text.charAt(i + 1) == ' ';
      if (ends && ":;.".indexOf(text.charAt(i)) >= 0) {
        return text.substring(0, i);
      }
    }
    return text;
  }

  /** Returns whether the value is a namespace that a gateway knows. */
  boolean isNamespace(CompletedOption option) {
    return takesType && option.names().contains("--namespace");
  }

  /** Returns the names of an option of this command, as {@code command:option}. */
  String pattern(CompletedOption option, String separator) {
    return option.names().stream()
        .map(each -> name + ":" + each)
        .collect(Collectors.joining(separator));
  }

  /** Returns the options that choose the gateway, those that {@code types} has as well. */
  static String gatewayOptions(
      List<CompletedCommand> commands, Predicate<Value> kind, String separator) {
    return commands.stream()
        .filter(command -> command.name().equals("types"))
        .flatMap(command -> command.options().stream())
        .filter(option -> kind.test(option.value()))
        .flatMap(option -> option.names().stream())
        .filter(name -> !OWN_OPTIONS_OF_TYPES.contains(name))
        .collect(Collectors.joining(separator));
  }

  /** Returns the options with a value, as {@code command:option}. */
  static String valuedOptions(List<CompletedCommand> commands, String separator) {
    return commands.stream()
        .flatMap(
            command ->
                command.options().stream()
                    .filter(option -> option.value() != Value.NONE)
                    .map(option -> command.pattern(option, separator)))
        .collect(Collectors.joining(separator));
  }
}
