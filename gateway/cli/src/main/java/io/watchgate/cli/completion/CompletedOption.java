package io.watchgate.cli.completion;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Option in the model of completion.
 *
 * @param names names with their dashes
 * @param words candidates of its value, if there are few
 */
record CompletedOption(List<String> names, String description, Value value, List<String> words) {
  /** Kind of the option's value. */
  enum Value {
    NONE,
    FILE,
    OTHER
  }

  static CompletedOption of(OptionSpec option) {
    return new CompletedOption(
        List.of(option.names()),
        CompletedCommand.firstWords(option.description()),
        value(option),
        words(option));
  }

  /** Returns whether the value is the name of a Watchgate context. */
  boolean isContext() {
    return names.contains("--gateway-context");
  }

  private static Value value(OptionSpec option) {
    if (option.arity().max() == 0) {
      return Value.NONE;
    }
    Class<?> type = option.type();
    return type == Path.class || type == File.class ? Value.FILE : Value.OTHER;
  }

  static List<String> words(ArgSpec argument) {
    List<String> words = new ArrayList<>();
    Iterable<String> candidates = argument.completionCandidates();
    if (candidates != null) {
      candidates.forEach(word -> words.add(word.toLowerCase(Locale.ROOT)));
    }
    return words;
  }
}
