package io.watchgate.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Access of other packages' tests to the declarations of all commands. */
public final class CommandSpecs {
  @Command(name = "watchgate")
  private static final class Root {}

  private CommandSpecs() {}

  /** Returns the parent of all commands that the help lists. */
  public static CommandSpec root() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream err = new PrintStream(out, true, StandardCharsets.UTF_8);
    Stdio stdio = new Stdio(out, err, InstantSource.system(), Set.of(), Map.of());
    return new CommandTree(stdio, Root::new, List.of()).allCommands().getCommandSpec();
  }

  /** Returns what the command line, which asks for help, prints. */
  public static String help(String... line) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream err = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
    if (Main.run(out, err, InstantSource.system(), line) != 0) {
      throw new IllegalArgumentException("no help: " + String.join(" ", line));
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  /** Returns the heading of the group that the option belongs to. */
  public static Optional<String> heading(OptionSpec option) {
    return OptionListHelp.heading(option);
  }
}
