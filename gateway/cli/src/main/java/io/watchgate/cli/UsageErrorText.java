package io.watchgate.cli;

import io.watchgate.kube.EditDistance;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
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
  /** Commands, each with the one that has the options of which users may think here. */
  private static final Map<String, String> SIBLINGS =
      Map.of("list", "watch", "get", "watch", "watch", "list");

  /** Options of kubectl's {@code get} that make it watch. */
  private static final Set<String> WATCH_OPTIONS = Set.of("-w", "--watch", "--watch-only");

  private UsageErrorText() {}

  /**
   * Returns the message.
   *
   * @param type the type on the command line, for advice
   * @param optionsOf names of the options of a command
   */
  static String of(
      ParameterException wrong, String type, Function<String, List<String>> optionsOf) {
    ArgSpec argument = wrong.getArgSpec();
    return switch (wrong) {
      case UnmatchedArgumentException unmatched -> unmatched(unmatched, type, optionsOf);
      case MissingParameterException missing -> missing(missing.getMissing());
      case OverwrittenOptionException twice -> name(twice.getOverwritten()) + " is given twice";
      case ParameterException other
          when argument != null
              && other.getCause() instanceof TypeConversionException reason
              && !isOfPicocli(reason) ->
          name(argument) + ": " + plain(String.valueOf(reason.getMessage()));
      // Picocli's text has the exception of Java.
      case ParameterException other when argument != null && other.getCause() != null ->
          name(argument) + ": the value is not a valid " + argument.paramLabel();
      default -> String.valueOf(wrong.getMessage());
    };
  }

  /** Returns whether the text is not of a converter of ours, but has the exception of Java. */
  private static boolean isOfPicocli(TypeConversionException reason) {
    return String.valueOf(reason.getMessage()).startsWith("cannot convert '");
  }

  private static String unmatched(
      UnmatchedArgumentException wrong, String type, Function<String, List<String>> optionsOf) {
    List<String> words = wrong.getUnmatched();
    Optional<String> option = words.stream().filter(word -> word.startsWith("-")).findFirst();
    if (option.isPresent()) {
      String word = option.get().replaceFirst("=.*", "");
      CommandSpec command = wrong.getCommandLine().getCommandSpec();
      return "there is no option '" + word + "'" + advice(word, command, type, optionsOf);
    }
    return words.stream()
        .map(word -> "'" + word + "'")
        .collect(
            Collectors.joining(
                ", ", words.size() == 1 ? "unexpected argument " : "unexpected arguments ", ""));
  }

  private static String advice(
      String word, CommandSpec command, String type, Function<String, List<String>> optionsOf) {
    String sibling = SIBLINGS.getOrDefault(command.name(), "");
    if (sibling.equals("watch") && WATCH_OPTIONS.contains(word)) {
      return "; 'watchgate watch " + type + "' watches";
    }
    if (!sibling.isEmpty() && optionsOf.apply(sibling).contains(word)) {
      return "; 'watchgate " + sibling + "' has it";
    }
    List<String> names =
        command.options().stream()
            .filter(option -> !option.hidden())
            .map(OptionSpec::longestName)
            .sorted(Comparator.comparingInt(name -> EditDistance.between(word, name)))
            .toList();
    List<String> near =
        EditDistance.nearest(
            word, names, name -> name.startsWith(word) ? 0 : EditDistance.between(word, name));
    return near.isEmpty() ? "" : "; near: " + String.join(", ", near);
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
        + (arguments.size() == 1
            ? " is missing" + constants(arguments.getFirst())
            : " are missing");
  }

  /** Returns the values of an enum; empty for other types. */
  private static String constants(ArgSpec argument) {
    Object[] constants = argument.type().getEnumConstants();
    return constants == null
        ? ""
        : Arrays.stream(constants)
            .map(constant -> constant.toString().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(", ", "; it is one of ", ""));
  }

  private static String name(ArgSpec argument) {
    return argument instanceof OptionSpec option ? option.names()[0] : argument.paramLabel();
  }

  /** Returns a message of picocli's converters without names of Java's types. */
  private static String plain(String message) {
    return message
        .replaceFirst("^('-?[0-9]+') is not an? (int|long)$", "$1 is out of range")
        .replaceFirst(" is not an? (int|long)$", " is not a whole number")
        .replaceFirst(" is not an? (double|float)$", " is not a number")
        .replaceFirst(" is not a boolean$", " is neither true nor false");
  }
}
