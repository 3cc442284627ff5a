package io.watchgate.cli;

import static java.util.Objects.requireNonNull;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code watchgate}. */
@Command(
    name = "watchgate",
    description = "Watches Kubernetes resources through a cache that many subscribers share.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    subcommands = HelpCommand.class,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the command did what was asked",
      "1:it could not; stderr says why and what to do",
      "2:the command line is wrong",
      "130, 143:watch was ended by Ctrl-C, by SIGTERM; serve then ends with 0"
    },
    footer = {
      "",
      "In a clone of the sources, './watchgate try' starts a kube-apiserver with pods that change,"
          + " a gateway and a watch."
    })
public final class Main implements Runnable {
  /** gRPC logs what it also reports; a weak reference would lose the level again. */
  private static final Logger GRPC_LOG = Logger.getLogger("io.grpc");

  @Spec private @Nullable CommandSpec spec;

  private Main() {}

  /** Without a command. */
  @Override
  public void run() {
    throw new ParameterException(requireNonNull(spec).commandLine(), "expected a command");
  }

  public static void main(String[] args) {
    GRPC_LOG.setLevel(Level.OFF);
    // Not System.out: it buffers by its own rules and swallows errors.
    OutputStream out = new FileOutputStream(FileDescriptor.out);
    System.exit(run(out, System.err, InstantSource.system(), args));
  }

  /** Runs one command line; {@code out} is for data only. */
  static int run(OutputStream out, PrintStream err, InstantSource clock, String... args) {
    Map<String, Supplier<Object>> all = new LinkedHashMap<>();
    all.put("serve", ServeCommand::new);
    all.put("watch", () -> new WatchCommand(out, err, clock));

    // The one that is named, without the others: to read them all takes time at every start.
    CommandLine commands = new CommandLine(new Main());
    Set<String> named = all.keySet();
    if (args.length > 0 && all.containsKey(args[0])) {
      named = Set.of(args[0]);
    }
    named.forEach(name -> commands.addSubcommand(requireNonNull(all.get(name)).get()));
    return commands
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(err, true, StandardCharsets.UTF_8))
        .setParameterExceptionHandler(new WrongUsage())
        .setExecutionExceptionHandler(
            (failure, command, parsed) -> {
              err.println("watchgate: " + failure);
              return command.getCommandSpec().exitCodeOnExecutionException();
            })
        .execute(args);
  }

  /** The version of the jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"watchgate " + (version == null ? "(not packaged)" : version)};
    }
  }
}
