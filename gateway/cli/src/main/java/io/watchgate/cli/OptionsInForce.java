package io.watchgate.cli;

import io.watchgate.ops.pages.StatusPage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * Options of a command with the values of its command line, or with their defaults as in the help.
 */
final class OptionsInForce {
  private static final String DEFAULT = "Default: ";

  /** User and password of a URL. */
  private static final Pattern USER_INFO = Pattern.compile("(?<=://)[^/@]*@");

  private OptionsInForce() {}

  /** Returns the options, sorted by name. */
  static List<StatusPage.Flag> of(@Nullable CommandSpec command) {
    if (command == null) {
      return List.of();
    }
    ParseResult line = command.commandLine().getParseResult();
    List<StatusPage.Flag> flags = new ArrayList<>();
    for (OptionSpec option : command.options()) {
      if (option.hidden() || option.usageHelp() || option.versionHelp()) {
        continue;
      }
      boolean isSet = line != null && line.hasMatchedOption(option);
      flags.add(
          new StatusPage.Flag(
              option.longestName(), isSet ? given(option) : defaultText(option), isSet));
    }
    flags.sort(Comparator.comparing(StatusPage.Flag::name));
    return flags;
  }

  private static String given(OptionSpec option) {
    List<String> values = option.originalStringValues();
    return values.isEmpty()
        ? "true"
        : USER_INFO.matcher(String.join(",", values)).replaceAll("***@");
  }

  private static String defaultText(OptionSpec option) {
    String help = String.join(" ", option.description());
    int at = help.lastIndexOf(DEFAULT);
    return at < 0 ? "" : help.substring(at + DEFAULT.length()).replaceFirst("\\.$", "");
  }
}
