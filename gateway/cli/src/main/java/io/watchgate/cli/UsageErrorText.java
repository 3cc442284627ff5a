package io.watchgate.cli;

import io.watchgate.kube.EditDistance;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Message of a wrong command line, in place of picocli's, which has words of a parser. */
final class UsageErrorText {
  private UsageErrorText() {}

  /** Returns the message. */
  static String of(ParameterException wrong) {
    ArgSpec argument = wrong.getArgSpec();
    return switch (wrong) {
      case UnmatchedArgumentException unmatched -> unmatched(unmatched);
      case MissingParameterException missing -> missing(missing.getMissing());
      case OverwrittenOptionException twice -> name(twice.getOverwritten()) + " is given twice";
      case ParameterException other
          when argument != null && other.getCause() instanceof TypeConversionException reason ->
          name(argument) + ": " + plain(String.valueOf(reason.getMessage()));
      default -> String.valueOf(wrong.getMessage());
    };
  }

  private static String unmatched(UnmatchedArgumentException wrong) {
    List<String> words = wrong.getUnmatched();
    Optional<String> option = words.stream().filter(word -> word.startsWith("-")).findFirst();
    if (option.isPresent()) {
      return unknownOption(option.get(), wrong.getCommandLine().getCommandSpec());
    }
    return words.stream()
        .map(word -> "'" + word + "'")
        .collect(
            Collectors.joining(
                ", ", words.size() == 1 ? "unexpected argument " : "unexpected arguments ", ""));
  }

  private static String unknownOption(String typed, CommandSpec command) {
    String word = typed.replaceFirst("=.*", "");
    List<String> names =
        command.options().stream()
            .filter(option -> !option.hidden())
            .map(OptionSpec::longestName)
            .sorted(Comparator.comparingInt(name -> EditDistance.between(word, name)))
            .toList();
    List<String> near =
        EditDistance.nearest(
            word, names, name -> name.startsWith(word) ? 0 : EditDistance.between(word, name));
    return "there is no option '"
        + word
        + "'"
        + (near.isEmpty() ? "" : "; near: " + String.join(", ", near));
  }

  private static String missing(List<ArgSpec> arguments) {
    if (arguments.getFirst() instanceof OptionSpec given && !given.required()) {
      return name(given) + " is without its " + given.paramLabel();
    }
    return arguments.stream()
            .map(
                argument ->
                    argument instanceof OptionSpec option
                        ? name(option) + " " + option.paramLabel()
                        : name(argument))
            .collect(Collectors.joining(" and "))
        + (arguments.size() == 1 ? " is missing" : " are missing");
  }

  private static String name(ArgSpec argument) {
    return argument instanceof OptionSpec option ? option.names()[0] : argument.paramLabel();
  }

  /** Returns a message of picocli's converters without names of Java's types. */
  private static String plain(String message) {
    return message
        .replaceFirst(" is not an? (int|long)$", " is not a whole number")
        .replaceFirst(" is not an? (double|float)$", " is not a number")
        .replaceFirst(" is not a boolean$", " is neither true nor false");
  }
}
