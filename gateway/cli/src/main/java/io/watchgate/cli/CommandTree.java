package io.watchgate.cli;

import static java.util.Objects.requireNonNull;

import io.watchgate.cli.completion.CompletionScript.Shell;
import io.watchgate.cli.live.Screen;
import io.watchgate.cli.output.TerminalEscaper;
import io.watchgate.cli.top.StreamSort;
import io.watchgate.kube.EditDistance;
import io.watchgate.pem.FileErrors;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.event.Level;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi.Style;
import picocli.CommandLine.Help.ColorScheme;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/**
 * The commands below {@code watchgate}. Only the named command is instantiated: picocli reads its
 * annotations, and {@code watch} would otherwise load the classes of {@code serve}.
 *
 * <p>No method reference here has a picocli class in its signature. Those classes are old class
 * files, which Java's AOT cache does not store, and creating the cache fails on such a reference
 * (JDK 25).
 */
final class CommandTree {
  private static final String HELP = "help";

  /** Name under which users of kubectl look for {@code list}. */
  private static final String ALIAS_OF_LIST = "get";

  private static final List<String> NAMES =
      List.of(
          "demo",
          "serve",
          "sandbox",
          "watch",
          "list",
          "types",
          "top",
          "doctor",
          "context",
          "try",
          "example",
          "bench",
          "compare",
          "check",
          "conform",
          "manifests",
          "completion",
          HELP);

  /** Baseline server, which {@code compare} starts. It is not listed in the help. */
  private static final List<String> HIDDEN = List.of("baseline");

  /** Decoration of help pages. Picocli's own yellow cannot be read on a white terminal. */
  private static final ColorScheme HELP_COLORS =
      new ColorScheme.Builder()
          .commands(Style.bold)
          .options(Style.bold)
          .parameters(Style.bold)
          .build();

  private static final Set<String> HELP_WORDS = Set.of("-h", "--help", HELP);

  /** Columns that the help needs at least: picocli's minimum is 55. */
  private static final int MIN_HELP_WIDTH = 55;

  private static final int MAX_HELP_WIDTH = 100;

  /** Separates the program that a command runs, which picocli would take for its own arguments. */
  private static final String END_OF_OPTIONS = "--";

  private static final Set<String> COMMANDS_WITH_PROGRAM = Set.of("watch", "conform");

  private final Stdio stdio;
  private final Supplier<Object> root;
  private final List<String> arguments;
  private final Optional<List<String>> commandToRun;
  private final boolean isAliasTyped;

  /**
   * Creates the tree for one command line.
   *
   * @param root creates the parent command
   */
  CommandTree(Stdio stdio, Supplier<Object> root, List<String> line) {
    boolean runs = !line.isEmpty() && COMMANDS_WITH_PROGRAM.contains(line.getFirst());
    int end = runs ? line.indexOf(END_OF_OPTIONS) : -1;
    this.stdio = stdio;
    this.root = root;
    List<String> typed = end < 0 ? line : line.subList(0, end);
    this.arguments = canonical(typed);
    this.isAliasTyped = !arguments.equals(typed);
    this.commandToRun =
        end < 0 ? Optional.empty() : Optional.of(line.subList(end + 1, line.size()));
  }

  /** Returns the command line with the name of a command in place of its alias. */
  private static List<String> canonical(List<String> line) {
    List<String> names = new ArrayList<>(line);
    int last = !line.isEmpty() && line.getFirst().equals(HELP) ? 1 : 0;
    for (int i = 0; i <= last && i < names.size(); i++) {
      if (names.get(i).equals(ALIAS_OF_LIST)) {
        names.set(i, "list");
      }
    }
    return List.copyOf(names);
  }

  int run() {
    PrintWriter err = new PrintWriter(stdio.err(), true, StandardCharsets.UTF_8);
    CommandLine commandLine =
        with(commandsToCreate())
            .setCaseInsensitiveEnumValuesAllowed(true)
            // "--from @file" names a position file, not a file of arguments.
            .setExpandAtFiles(false)
            .setOut(new PrintWriter(stdio.out(), true, StandardCharsets.UTF_8))
            .setErr(err)
            .setParameterExceptionHandler(new UsageErrorHandler())
            .setExecutionExceptionHandler(
                (failure, failed, parsed) -> {
                  stdio.err().println("watchgate: " + text(failure));
                  return failed.getCommandSpec().exitCodeOnExecutionException();
                });
    if (arguments.isEmpty()) {
      err.println("watchgate: expected a command");
      commandLine.usage(err);
      return ExitCodes.WRONG_USAGE;
    }
    return unknownCommand()
        .map(
            name ->
                new ParameterException(
                    commandLine, "there is no command '" + name + "'" + hint(name)))
        .map(wrong -> new UsageErrorHandler().handleParseException(wrong, new String[0]))
        .orElseGet(() -> commandLine.execute(arguments.toArray(String[]::new)));
  }

  /**
   * Returns the message of an unexpected failure. Commands report expected failures themselves, so
   * other exceptions are named by class.
   */
  private static String text(Exception failure) {
    return failure instanceof IOException io
        ? TerminalEscaper.inLines(FileErrors.text(io))
        : "an error that is a bug, please report it: " + failure;
  }

  /**
   * Returns the commands to instantiate: the named one, the one whose help is requested, or all.
   */
  private List<String> commandsToCreate() {
    if (arguments.isEmpty() || !isCommand(arguments.getFirst())) {
      return NAMES;
    }
    if (!arguments.getFirst().equals(HELP)) {
      return arguments.subList(0, 1);
    }
    return arguments.size() > 1 && isCommand(arguments.get(1)) && !arguments.get(1).equals(HELP)
        ? arguments.subList(0, 2)
        : NAMES;
  }

  /** Returns the word at the position of the command's name, if it is no command. */
  private Optional<String> unknownCommand() {
    int at = arguments.getFirst().equals(HELP) ? 1 : 0;
    return arguments.stream()
        .skip(at)
        .findFirst()
        .filter(name -> !name.startsWith("-") && !isCommand(name));
  }

  /** Returns a hint about a command that does not exist: another tool, or similar commands. */
  private static String hint(String name) {
    return switch (name) {
      case "describe" -> "; 'watchgate list TYPE/NAME -o yaml' prints all of an object";
      case "api-resources", "resources" -> "; near: types";
      case "version" -> "; 'watchgate --version' prints it";
      case "start", "run", "server" -> "; near: serve";
      case "apply", "create", "delete", "edit", "exec", "logs", "patch", "replace", "scale" ->
          "; watchgate only reads objects, kubectl does the rest";
      default -> near(name);
    };
  }

  private static String near(String name) {
    List<String> near =
        EditDistance.nearest(
            name,
            NAMES,
            command ->
                name.length() > 1 && command.startsWith(name)
                    ? 0
                    : EditDistance.between(name, command));
    return near.isEmpty() ? "" : "; near: " + String.join(", ", near);
  }

  private static boolean isCommand(String name) {
    return NAMES.contains(name) || HIDDEN.contains(name);
  }

  /** Returns all commands, below their root. */
  CommandLine allCommands() {
    return with(NAMES);
  }

  private CommandLine with(List<String> names) {
    CommandLine commandLine = new CommandLine(root.get());
    for (String name : names) {
      commandLine.addSubcommand(name, command(name));
    }
    if (stdio.isTerminal(Stdio.Stream.OUT) && arguments.stream().anyMatch(HELP_WORDS::contains)) {
      commandLine.setUsageHelpWidth(
          Math.clamp(Screen.Size.ofTerminal().columns(), MIN_HELP_WIDTH, MAX_HELP_WIDTH));
    }
    commandLine.setColorScheme(HELP_COLORS);
    HelpSection.install(commandLine);
    for (CommandLine subcommand : commandLine.getSubcommands().values()) {
      CommandSpec spec = subcommand.getCommandSpec();
      spec.versionProvider(new Main.Version()).usageMessage().sortOptions(false);
      HelpSection.install(subcommand);
      if (isAliasTyped && spec.name().equals("list")) {
        useAlias(spec);
      }
    }
    // Converters are registered for existing commands only, so this comes last.
    return commandLine
        .registerConverter(ColorChoice.class, new EnumConverter<>(List.of(ColorChoice.values())))
        .registerConverter(
            LogToStderr.Format.class, new EnumConverter<>(List.of(LogToStderr.Format.values())))
        .registerConverter(Level.class, new EnumConverter<>(List.of(Level.values())))
        .registerConverter(Shell.class, new EnumConverter<>(List.of(Shell.values())))
        .registerConverter(
            TypesCommand.Format.class, new EnumConverter<>(List.of(TypesCommand.Format.values())))
        .registerConverter(
            TopCommand.Format.class, new EnumConverter<>(List.of(TopCommand.Format.values())))
        .registerConverter(StreamSort.class, new EnumConverter<>(List.of(StreamSort.values())))
        .registerConverter(
            ContextCommand.Action.class,
            new EnumConverter<>(List.of(ContextCommand.Action.values())));
  }

  /** Has help and errors name the command as it was typed. */
  private static void useAlias(CommandSpec list) {
    list.name(ALIAS_OF_LIST);
    String[] lines = list.usageMessage().customSynopsis();
    for (int i = 0; i < lines.length; i++) {
      lines[i] = lines[i].replaceFirst("^watchgate list|^ (?= )", i == 0 ? "watchgate get" : "");
    }
    list.usageMessage().customSynopsis(lines);
  }

  /** Returns the names of the options of a command. */
  private List<String> optionsOf(String command) {
    List<String> names = new ArrayList<>();
    CommandLine subcommand = with(List.of(command)).getSubcommands().get(command);
    for (OptionSpec option : requireNonNull(subcommand).getCommandSpec().options()) {
      names.addAll(List.of(option.names()));
    }
    return names;
  }

  /** Returns the argument in the place of a type, for advice. */
  private String typedType() {
    return arguments.size() > 1 && !arguments.get(1).startsWith("-") ? arguments.get(1) : "TYPE";
  }

  private Object command(String name) {
    return switch (name) {
      case "demo" -> new DemoCommand(stdio);
      case "sandbox" -> new SandboxCommand();
      case "serve" -> new ServeCommand();
      case "watch" -> new WatchCommand(stdio, commandToRun);
      case "list" -> new ListCommand(stdio);
      case "types" -> new TypesCommand(stdio);
      case "top" -> new TopCommand(stdio);
      case "doctor" -> new DoctorCommand(stdio);
      case "bench" -> new BenchCommand(stdio);
      case "check" -> new CheckCommand(stdio);
      case "conform" -> new ConformCommand(stdio, commandToRun);
      case "manifests" -> new ManifestsCommand(stdio);
      case "compare" -> new CompareCommand(stdio);
      case "baseline" -> new BaselineCommand(stdio);
      case "completion" -> new CompletionCommand(stdio, this);
      case HELP -> new HelpCommand();
      case "context" -> new ContextCommand(stdio);
      case "try" -> new TryCommand(stdio);
      case "example" -> new ExampleCommand(stdio);
      default -> throw new IllegalArgumentException(name);
    };
  }

  /**
   * Handler of usage errors: prints the error and a pointer to the help, so that the error stays on
   * the screen.
   */
  private final class UsageErrorHandler implements IParameterExceptionHandler {
    @Override
    public int handleParseException(ParameterException wrong, String[] args) {
      CommandLine command = wrong.getCommandLine();
      PrintWriter err = command.getErr();
      String text = UsageErrorText.of(wrong, typedType(), name -> optionsOf(name));
      err.println("watchgate: " + TerminalEscaper.inLines(text));
      if (wrong instanceof UnusableContextException) {
        return ExitCodes.FAILED;
      }
      err.println("See '" + command.getCommandSpec().qualifiedName() + " --help'");
      return command.getCommandSpec().exitCodeOnInvalidInput();
    }
  }

  /** Picocli converter that reads a constant of an enum by its name, in any case. */
  private record EnumConverter<E extends Enum<E>>(List<E> constants) implements ITypeConverter<E> {

    @Override
    public E convert(String text) {
      return constants.stream()
          .filter(constant -> constant.name().equalsIgnoreCase(text))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      constants.stream()
                          .map(constant -> constant.name().toLowerCase(Locale.ROOT))
                          .collect(Collectors.joining(", ", "'" + text + "' is none of ", ""))));
    }
  }
}
