package io.watchgate.cli;

import java.io.OutputStream;
import java.io.PrintStream;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code watchgate}. */
@Command(
    name = "watchgate",
    description = "Watches Kubernetes resources through a cache that many subscribers share.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the command did what was asked",
      "1:it could not; stderr says why and what to do",
      "2:the command line is wrong",
      "3:the heap of Java was full",
      "75:compare: other processes had too much of the machine; try again",
      "123, 124:watch: COMMAND failed; --timeout passed",
      "130, 143:ended by Ctrl-C, by SIGTERM; serve and sandbox then end with 0"
    },
    footer = {
      "",
      "'watchgate demo' needs no cluster: it starts a small apiserver with a simulated one."
    })
public final class Main implements Runnable {
  /**
   * Logger of gRPC, switched off because gRPC also reports its errors to the caller. Held in a
   * field, because the level of a weakly referenced logger is lost.
   */
  private static final Logger GRPC_LOG = Logger.getLogger("io.grpc");

  /**
   * Leak detection of Netty. By default it records the stack of each access to one buffer in 128,
   * which costs some hundredths of a delivery's CPU time. Only gRPC allocates and releases buffers
   * here; tests run with the detection on.
   */
  private static final String LEAK_DETECTION = "io.grpc.netty.shaded.io.netty.leakDetection.level";

  @Spec private @Nullable CommandSpec spec;

  private Main() {}

  /** Fails with a usage error, because no command was given. */
  @Override
  public void run() {
    throw UsageError.of(spec, "expected a command");
  }

  public static void main(String[] args) {
    GRPC_LOG.setLevel(Level.OFF);
    if (System.getProperty(LEAK_DETECTION) == null) {
      System.setProperty(LEAK_DETECTION, "disabled");
    }
    NettyStartupOptions.prepare(args);
    try {
      System.exit(run(Stdio.ofProcess(), args));
    } catch (Error e) { // otherwise a gateway that cannot serve would look alive to its probes
      e.printStackTrace();
      System.exit(ExitCodes.FAILED);
    }
  }

  /** Runs one command line without a terminal; {@code out} is for data only. */
  static int run(OutputStream out, PrintStream err, InstantSource clock, String... args) {
    return run(new Stdio(out, err, clock, Set.of(), Map.of()), args);
  }

  /** Runs one command line. */
  static int run(Stdio stdio, String... args) {
    return new CommandTree(stdio, Main::new, List.of(args)).run();
  }

  /** Version of the jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"watchgate " + (version == null ? "(not packaged)" : version)};
    }
  }
}
