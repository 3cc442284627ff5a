package io.watchgate.cli;

import io.grpc.ChannelCredentials;
import io.watchgate.bench.Bench;
import io.watchgate.bench.BenchException;
import io.watchgate.bench.BenchPlan;
import io.watchgate.bench.BenchResult;
import io.watchgate.bench.BenchResultTable;
import io.watchgate.bench.BenchTarget;
import io.watchgate.kube.ClientConfig;
import io.watchgate.kube.ConfigException;
import io.watchgate.pem.FileErrors;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code watchgate bench}: loads a gateway and reports latency and cost. */
@Command(
    name = "bench",
    customSynopsis = "watchgate bench [OPTION...]",
    description = {
      "Loads a gateway: writes objects at the apiserver behind it, reads the changes on many"
          + " streams, and says how late they came, what they cost, and whether all came.",
      "Each change is numbered and bears the moment when it was to be written; latency counts from"
          + " there. Objects live in a namespace of their own, which is removed in the end."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every reader got every change once, in order",
      "1:something was lost, or it could not be measured; stderr says why",
      "2:the command line is wrong",
      "130, 143:ended by Ctrl-C, by SIGTERM, with the figures so far"
    },
    footer = {
      "",
      "'watchgate serve --sandbox --churn 0' in another terminal, and then",
      "'watchgate bench --apiserver http://127.0.0.1:8080' is a complete example."
    })
final class BenchCommand implements Callable<Integer> {
  private final Stdio stdio;

  @Mixin private final BenchOptions options = new BenchOptions();
  @Mixin private final ClientOptions server;

  @Option(
      names = "--direct",
      description =
          "Watch the apiserver itself instead of a gateway, for comparison. Default: a gateway.")
  private boolean direct;

  @Mixin private final WriteApiserverOptions apiserver = new WriteApiserverOptions();

  @Option(
      names = "--metrics",
      paramLabel = "HOST:PORT",
      converter = ServerAddress.Converter.class,
      description =
          "Address at which the gateway serves /metrics, with its processor time and memory."
              + " Default: none.")
  private @Nullable ServerAddress metrics;

  @Option(
      names = "--server-pid",
      paramLabel = "PID",
      description =
          "Process ID of a gateway on this machine, to read processor time and memory from /proc."
              + " Default: none.")
  private @Nullable Long pid;

  @Option(
      names = "--known-pid",
      paramLabel = "PID",
      description =
          "A further process that belongs to the run, such as the apiserver, so that it does not"
              + " count as foreign; may be repeated. Default: none.")
  private List<Long> known = new ArrayList<>();

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the figures to this file as well, as JSON. Default: no.")
  private @Nullable Path json;

  BenchCommand(Stdio stdio) {
    this.stdio = stdio;
    this.server = new ClientOptions(stdio.environment());
  }

  @Override
  public Integer call() throws InterruptedException {
    BenchPlan plan = options.plan();
    check(plan);
    ReconnectReporter reporter = new ReconnectReporter(stdio.err(), Optional.empty());
    ClientConfig access;
    Optional<BenchTarget> target;
    try {
      access = apiserver.clientConfig();
      target = target(reporter);
    } catch (ConfigException e) {
      reporter.report(String.valueOf(e.getMessage()));
      return ExitCodes.FAILED;
    }
    if (target.isEmpty() && !direct) {
      return ExitCodes.FAILED;
    }
    ProgressLine progress = new ProgressLine(stdio, 5);
    Bench bench =
        new Bench(
            plan,
            access,
            new Bench.Subject(
                target,
                Optional.ofNullable(metrics).map(at -> URI.create("http://" + at + "/metrics")),
                pid == null ? OptionalLong.empty() : OptionalLong.of(pid),
                known),
            progress);
    try (ShutdownHook _ = new ShutdownHook(bench::stop)) {
      return run(bench, progress, reporter);
    } finally {
      progress.end();
    }
  }

  private void check(BenchPlan plan) {
    apiserver.check();
    if (direct && plan.pace() instanceof BenchPlan.Pace.Unpaced) {
      throw options.usage("--direct needs a --rate above 0");
    }
    if (direct && (plan.arrivals().joining() > 0 || plan.arrivals().returning() > 0)) {
      throw options.usage("--direct excludes --joining and --returning");
    }
    if (direct && plan.readers().stall().percent() > 0) {
      throw options.usage("--direct and --stall exclude each other");
    }
  }

  private Optional<BenchTarget> target(ReconnectReporter reporter) {
    if (direct) {
      return Optional.empty();
    }
    Optional<ChannelCredentials> credentials = server.credentials(reporter);
    return credentials.map(
        it ->
            new BenchTarget(
                server.onlyServer().host(), server.onlyServer().port(), it, server.serverName()));
  }

  private int run(Bench bench, ProgressLine progress, ReconnectReporter reporter)
      throws InterruptedException {
    try {
      Optional<BenchResult> figures = bench.run();
      progress.end();
      if (figures.isEmpty()) {
        reporter.report("stopped before anything was measured");
        return ExitCodes.FAILED;
      }
      stdio.print(BenchResultTable.text(figures.get()));
      if (json != null) {
        Files.writeString(json, figures.get().json());
      }
      return figures.get().losses().isNone() ? ExitCodes.SUCCESS : ExitCodes.FAILED;
    } catch (BenchException e) {
      progress.end();
      reporter.report(String.valueOf(e.getMessage()));
      return ExitCodes.FAILED;
    } catch (IOException e) {
      reporter.report("the figures cannot be written: " + FileErrors.ofWriting(e));
      return ExitCodes.FAILED;
    }
  }
}
