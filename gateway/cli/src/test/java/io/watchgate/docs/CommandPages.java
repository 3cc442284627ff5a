package io.watchgate.docs;

import static io.watchgate.docs.ReferencePage.cell;

import io.watchgate.cli.CommandSpecs;
import java.lang.reflect.Member;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Pages of the commands and their options. An option has one entry: in the page of its command, or,
 * if several commands have it, in the page that {@link #SHARED} names.
 */
final class CommandPages {
  private static final String SOURCE = "the declarations of the commands";
  private static final String COMMANDS = "commands.md";
  private static final String HELP_CLASS = "AutoHelpMixin";

  /** Section of the options that several commands share. */
  private record Section(String page, String title) {
    String link(String from) {
      return "[%s](%s#%s)"
          .formatted(
              title,
              from.equals(page) ? "" : page,
              title.toLowerCase(Locale.ROOT).replace(' ', '-'));
    }
  }

  /** Pages of the options that several commands share, by the class that declares them. */
  private static final Map<String, String> SHARED = new LinkedHashMap<>();

  static {
    SHARED.put("ServeOptions", "serve.md");
    SHARED.put("KubeApiOptions", "serve.md");
    SHARED.put("BrowserOptions", "serve.md");
    SHARED.put("ServerTlsOptions", "serve.md");
    SHARED.put("AccessOptions", "serve.md");
    SHARED.put("CacheOptions", "serve.md");
    SHARED.put("LimitOptions", "serve.md");
    SHARED.put("SandboxOptions", "sandbox.md");
    SHARED.put("ChurnOptions", "sandbox.md");
    SHARED.put("ClientOptions", COMMANDS);
    SHARED.put("KubeconfigOptions", COMMANDS);
    SHARED.put("SelectionOptions", COMMANDS);
    SHARED.put("OutputOptions", COMMANDS);
    SHARED.put("ProjectionOptions", COMMANDS);
    SHARED.put("FreshnessOptions", COMMANDS);
    SHARED.put("ApiserverOptions", COMMANDS);
    SHARED.put("WriteApiserverOptions", COMMANDS);
    SHARED.put(HELP_CLASS, COMMANDS);
  }

  /** Commands with a page of their own; all others are in the common page. */
  private static final List<String> LONG =
      List.of(
          "serve",
          "watch",
          "list",
          "types",
          "top",
          "doctor",
          "context",
          "sandbox",
          "check",
          "conform",
          "bench",
          "compare",
          "manifests");

  private final List<CommandSpec> commands;

  /** Options by the class that declares them, once each, in the order of their declaration. */
  private final Map<String, Map<String, OptionSpec>> byClass = new LinkedHashMap<>();

  CommandPages(CommandSpec root) {
    commands =
        root.subcommands().values().stream()
            .map(command -> command.getCommandSpec())
            .distinct() // under each of its names
            .filter(command -> !command.name().equals("help"))
            .toList();
    for (CommandSpec command : commands) {
      for (OptionSpec option : command.options()) {
        byClass
            .computeIfAbsent(owner(option), _ -> new LinkedHashMap<>())
            .putIfAbsent(option.longestName(), option);
      }
    }
  }

  /** Returns the classes whose options several commands have, and that no section is for. */
  Set<String> withoutSection() {
    return byClass.keySet().stream()
        .filter(owner -> !SHARED.containsKey(owner))
        .filter(
            owner ->
                commands.stream().filter(command -> owners(command).contains(owner)).count() > 1)
        .collect(Collectors.toSet());
  }

  /** Returns the visible options and their entries in the pages: one entry for each is right. */
  Map<String, Long> entries() {
    List<String> lines = all().stream().flatMap(page -> page.body().stream()).toList();
    Map<String, Long> entries = new TreeMap<>();
    byClass.forEach(
        (owner, options) ->
            options.values().stream()
                .filter(option -> !option.hidden())
                .forEach(
                    option -> {
                      String row = row(option);
                      entries.put(
                          owner + " " + option.longestName(),
                          lines.stream().filter(row::equals).count());
                    }));
    return entries;
  }

  List<ReferencePage> all() {
    List<ReferencePage> pages = new ArrayList<>();
    pages.add(commandsPage());
    for (CommandSpec command : commands) {
      if (LONG.contains(command.name())) {
        pages.add(page(command));
      }
    }
    return pages;
  }

  private ReferencePage commandsPage() {
    List<String> lines = new ArrayList<>();
    lines.add("| command | what it does |");
    lines.add("|---|---|");
    for (CommandSpec command : commands) {
      String name = command.name();
      String target = LONG.contains(name) ? name + ".md" : "#" + name;
      lines.add(
          "| [`%s`](%s) | %s |"
              .formatted(
                  String.join("`, `", command.names()),
                  target,
                  cell(text(command.usageMessage().description())[0])));
    }
    for (CommandSpec command : commands) {
      if (!LONG.contains(command.name())) {
        lines.add("");
        lines.add("## " + command.name());
        lines.addAll(details(command, COMMANDS));
      }
    }
    lines.addAll(sharedSections(COMMANDS));
    return new ReferencePage(
        COMMANDS,
        "Commands",
        SOURCE,
        lines,
        "[Watch from the command line](../how-to/watch-from-the-command-line.md),"
            + " [serve](serve.md)");
  }

  private ReferencePage page(CommandSpec command) {
    String file = command.name() + ".md";
    List<String> lines = new ArrayList<>(details(command, file));
    lines.addAll(sharedSections(file));
    return new ReferencePage(
        file,
        command.name(),
        SOURCE,
        lines,
        "[Commands](commands.md), [When something is wrong](../how-to/troubleshoot.md)");
  }

  /** Returns description, arguments, options and exit codes of a command. */
  private List<String> details(CommandSpec command, String page) {
    List<String> lines = new ArrayList<>();
    for (String paragraph : text(command.usageMessage().description())) {
      lines.add("");
      lines.add(paragraph);
    }
    if (!command.positionalParameters().isEmpty()) {
      lines.addAll(List.of("", "| argument | meaning |", "|---|---|"));
      for (PositionalParamSpec argument : command.positionalParameters()) {
        lines.add("| `%s` | %s |".formatted(argument.paramLabel(), description(argument)));
      }
    }
    List<OptionSpec> own =
        command.options().stream().filter(option -> !SHARED.containsKey(owner(option))).toList();
    if (!own.isEmpty()) {
      lines.addAll(table(own));
    }
    String others =
        owners(command).stream()
            .filter(SHARED::containsKey)
            .map(this::section)
            .filter(section -> !section.page().equals(page) || page.equals(COMMANDS))
            .map(section -> section.link(page))
            .collect(Collectors.joining(", "));
    if (!others.isEmpty()) {
      lines.addAll(List.of("", "Options that other commands have, too: " + others + "."));
    }
    Map<String, String> codes = command.usageMessage().exitCodeList();
    if (!codes.isEmpty()) {
      lines.addAll(List.of("", "| exit code | meaning |", "|---|---|"));
      codes.forEach((code, meaning) -> lines.add("| %s | %s |".formatted(code, cell(meaning))));
    }
    lines.addAll(footer(command));
    return lines;
  }

  /** Returns the text below the options: a table of the indented lines that have two columns. */
  private static List<String> footer(CommandSpec command) {
    List<String> lines = new ArrayList<>();
    boolean inTable = false;
    for (String line : command.usageMessage().footer()) {
      String[] columns = line.strip().split(" {3,}", 2);
      if (line.startsWith("  ") && columns.length == 2) {
        if (!inTable) {
          lines.addAll(List.of("", "| form | meaning |", "|---|---|"));
        }
        inTable = true;
        lines.add("| `%s` | %s |".formatted(columns[0].replace("|", "\\|"), cell(columns[1])));
      } else {
        if (inTable || line.isBlank() || line.startsWith("  ")) {
          lines.add("");
        }
        inTable = false;
        if (!line.isBlank()) {
          lines.add(cell(line));
        }
      }
    }
    return lines;
  }

  private List<String> sharedSections(String page) {
    List<String> lines = new ArrayList<>();
    SHARED.forEach(
        (owner, home) -> {
          if (home.equals(page) && byClass.containsKey(owner)) {
            lines.add("");
            lines.add("## " + section(owner).title());
            lines.addAll(table(byClass.get(owner).values()));
          }
        });
    return lines;
  }

  private Section section(String owner) {
    OptionSpec any = byClass.getOrDefault(owner, Map.of()).values().iterator().next();
    return new Section(
        SHARED.getOrDefault(owner, COMMANDS), CommandSpecs.heading(any).orElse("Help"));
  }

  private static List<String> table(Iterable<OptionSpec> options) {
    List<String> lines = new ArrayList<>(List.of("", "| option | meaning |", "|---|---|"));
    for (OptionSpec option : options) {
      if (!option.hidden()) {
        lines.add(row(option));
      }
    }
    return lines;
  }

  private static String row(OptionSpec option) {
    String names =
        Arrays.stream(option.names())
            .map(name -> "`" + name + "`")
            .collect(Collectors.joining(", "));
    String value = option.arity().max() == 0 ? "" : " `" + option.paramLabel() + "`";
    return "| %s%s | %s |".formatted(names, value.replace("|", "\\|"), description(option));
  }

  private static String description(ArgSpec argument) {
    String text = String.join(" ", text(argument.description()));
    return cell(text.replace("${DEFAULT-VALUE}", String.valueOf(argument.defaultValue())));
  }

  private static String[] text(String[] description) {
    return Arrays.stream(description)
        .map(line -> line.replace("%n", " ").replace("%%", "%").strip())
        .toArray(String[]::new);
  }

  private static Set<String> owners(CommandSpec command) {
    return command.options().stream()
        .map(CommandPages::owner)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** Returns the simple name of the class that declares the option. */
  private static String owner(ArgSpec option) {
    Object declared = option.userObject();
    Class<?> type = ((Member) declared).getDeclaringClass();
    return type.getSimpleName();
  }
}
