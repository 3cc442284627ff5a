package io.watchgate.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Layout;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Sections of a help page that have running text, each rendered by a {@link HelpTable}. */
enum HelpSection implements IHelpSectionRenderer {
  DESCRIPTION(UsageMessageSpec.SECTION_KEY_DESCRIPTION),
  PARAMETERS(UsageMessageSpec.SECTION_KEY_PARAMETER_LIST),
  COMMANDS(UsageMessageSpec.SECTION_KEY_COMMAND_LIST),
  EXIT_CODES(UsageMessageSpec.SECTION_KEY_EXIT_CODE_LIST),
  FOOTER(UsageMessageSpec.SECTION_KEY_FOOTER);

  private final String key;

  HelpSection(String key) {
    this.key = key;
  }

  /** Makes these sections, and the option list, part of a command's help. */
  static void install(CommandLine command) {
    for (HelpSection section : values()) {
      command.getHelpSectionMap().put(section.key, section);
    }
    command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, new OptionListHelp());
  }

  @Override
  public String render(Help help) {
    CommandSpec spec = help.commandSpec();
    return switch (this) {
      case DESCRIPTION -> HelpTable.paragraphs(help, spec.usageMessage().description());
      case PARAMETERS -> {
        Layout layout = HelpTable.layout(help);
        layout.addAllPositionalParameters(
            spec.positionalParameters(), help.parameterLabelRenderer());
        yield layout.toString();
      }
      case COMMANDS -> help.subcommands().isEmpty() ? "" : HelpTable.rows(help, commands(help));
      case EXIT_CODES ->
          spec.usageMessage().exitCodeList().isEmpty()
              ? ""
              : HelpTable.rows(help, spec.usageMessage().exitCodeList());
      case FOOTER -> HelpTable.paragraphs(help, spec.usageMessage().footer());
    };
  }

  /** Returns the first sentences of the commands by their names. */
  private static Map<String, String> commands(Help help) {
    Map<String, String> commands = new LinkedHashMap<>();
    for (Help command : help.subcommands().values()) {
      UsageMessageSpec usage = command.commandSpec().usageMessage();
      String[] text = usage.header().length > 0 ? usage.header() : usage.description();
      commands.put(command.commandNamesText(", ").plainString(), text.length > 0 ? text[0] : "");
    }
    return commands;
  }
}
