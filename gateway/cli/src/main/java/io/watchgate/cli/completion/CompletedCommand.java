package io.watchgate.cli.completion;

import java.util.List;
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
}
