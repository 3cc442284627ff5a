package io.watchgate.cli;

import java.lang.reflect.Member;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Option list of a command's help: the command's own options, then those of each {@link
 * OptionGroup} below its heading.
 */
final class OptionListHelp implements IHelpSectionRenderer {
  private static final String OWN = "";

  @Override
  public String render(Help help) {
    Map<String, List<OptionSpec>> groups = new LinkedHashMap<>();
    groups.put(OWN, new ArrayList<>());
    for (OptionSpec option : help.commandSpec().options()) {
      if (!option.hidden()) {
        groups.computeIfAbsent(heading(option).orElse(OWN), _ -> new ArrayList<>()).add(option);
      }
    }
    StringBuilder text = new StringBuilder();
    groups.forEach(
        (heading, options) -> {
          if (!heading.equals(OWN)) {
            text.append(System.lineSeparator()).append(heading).append(':');
            text.append(System.lineSeparator());
          }
          Help.Layout layout = HelpTable.layout(help);
          layout.addAllOptions(options, help.parameterLabelRenderer());
          text.append(layout);
        });
    return text.toString();
  }

  /** Returns the heading of the group that the option belongs to. */
  static Optional<String> heading(OptionSpec option) {
    return Optional.ofNullable(
            ((Member) option.userObject()).getDeclaringClass().getAnnotation(OptionGroup.class))
        .map(OptionGroup::value);
  }
}
