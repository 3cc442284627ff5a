package io.watchgate.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.HelpCommand;

/**
 * The commands below {@code watchgate}. Only the one that is named is made: picocli reads its
 * annotations, and {@code watch} would pay for what {@code serve} loads.
 */
final class CommandTree {
  /** Behind it stands what {@code watch} runs; picocli would take that for its own arguments. */
  private static final String END_OF_OPTIONS = "--";

  private final Stdio stdio;

  CommandTree(Stdio stdio) {
    this.stdio = stdio;
  }

  private Map<String, Supplier<Object>> commands(
      Supplier<Object> root, Optional<List<String>> toRun) {
    Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
    commands.put("demo", () -> new DemoCommand(stdio));
    commands.put("serve", ServeCommand::new);
    commands.put("sandbox", SandboxCommand::new);
    commands.put("watch", () -> new WatchCommand(stdio, toRun));
    commands.put("list", () -> new ListCommand(stdio));
    commands.put("types", () -> new TypesCommand(stdio));
    commands.put(
        "completion",
        () -> new CompletionCommand(stdio, () -> withAll(root, commands).getCommandSpec()));
    commands.put("help", HelpCommand::new);
    return commands;
  }

  int run(Supplier<Object> root, List<String> line) {
    String named = line.isEmpty() ? "" : line.getFirst();
    int end = named.equals("watch") ? line.indexOf(END_OF_OPTIONS) : -1;
    List<String> own = end < 0 ? line : line.subList(0, end);
    Map<String, Supplier<Object>> commands =
        commands(
            root, end < 0 ? Optional.empty() : Optional.of(line.subList(end + 1, line.size())));
    Supplier<Object> command = commands.get(named);
    CommandLine commandLine =
        command == null
            ? withAll(root, commands)
            : new CommandLine(root.get()).addSubcommand(named, command.get());
    return commandLine
        .setCaseInsensitiveEnumValuesAllowed(true)
        // "--from @file" names a file of ours, none of arguments.
        .setExpandAtFiles(false)
        .setOut(new PrintWriter(stdio.out(), true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(stdio.err(), true, StandardCharsets.UTF_8))
        .setParameterExceptionHandler(new WrongUsage())
        .setExecutionExceptionHandler(
            (failure, failed, parsed) -> {
              stdio.err().println("watchgate: " + failure);
              return failed.getCommandSpec().exitCodeOnExecutionException();
            })
        .execute(own.toArray(String[]::new));
  }

  private static CommandLine withAll(
      Supplier<Object> root, Map<String, Supplier<Object>> commands) {
    CommandLine commandLine = new CommandLine(root.get());
    commands.forEach((name, each) -> commandLine.addSubcommand(name, each.get()));
    return commandLine;
  }
}
