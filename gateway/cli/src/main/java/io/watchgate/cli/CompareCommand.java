package io.watchgate.cli;

import io.watchgate.bench.compare.Scenario;
import io.watchgate.bench.compare.ScenarioComparison;
import io.watchgate.bench.compare.ScenarioComparison.Terms;
import io.watchgate.bench.compare.ScenarioReport;
import io.watchgate.bench.compare.Scenarios;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code watchgate compare}: measures a scenario of the performance table. */
@Command(
    name = "compare",
    customSynopsis = "watchgate compare [ROW] [OPTION...]",
    description = {
      "Measures a row of the performance table: this gateway and the servers that it is"
          + " compared with, alternately, each time in new processes with an apiserver of their"
          + " own.",
      "Without ROW: lists the rows. Nothing else should run on the machine."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the goals are met",
      "1:one is missed, or it could not be measured",
      "2:the command line is wrong",
      "3:the heap of Java was full",
      "75:too many pairs are void, since other processes had too much of the machine: try again",
      "130, 143:ended by Ctrl-C, by SIGTERM, without a result"
    })
final class CompareCommand implements Callable<Integer> {
  private static final int MAX_PAIRS = 1_000;

  private final Stdio stdio;

  @Spec private @Nullable CommandSpec spec;

  @Parameters(index = "0", arity = "0..1", paramLabel = "ROW", description = "Its name.")
  private @Nullable String row;

  @Option(
      names = "--pairs",
      paramLabel = "NUMBER",
      defaultValue = "7",
      description = "Number of measurements of each side, 1 to 1000. Default: ${DEFAULT-VALUE}.")
  private int pairs;

  @Option(
      names = "--foreign",
      paramLabel = "PERCENT",
      defaultValue = "6",
      description =
          "Maximum share of the machine that other processes may use in a pair that counts."
              + " Default: ${DEFAULT-VALUE}.")
  private double foreign;

  @Option(
      names = "--warm-up",
      paramLabel = "DURATION",
      converter = DurationArgument.class,
      description = "Time before a measurement. Default: 15s.")
  private Duration warmUp = Duration.ofSeconds(15);

  @Option(
      names = "--steady-within",
      paramLabel = "DURATION",
      converter = DurationArgument.class,
      description =
          "Longest extension of the warm-up: it ends early when the server's cost is steady."
              + " Default: 2m.")
  private Duration steadyWithin = Duration.ofMinutes(2);

  @Option(
      names = "--duration",
      paramLabel = "DURATION",
      converter = DurationArgument.class,
      description = "Time of each measurement. Default: 20s.")
  private Duration duration = Duration.ofSeconds(20);

  @Option(
      names = "--apiserver",
      paramLabel = "FILE",
      description = {
        "A program that serves a kube-apiserver when it is started as FILE serve --dir FOLDER;"
            + " e2e/apiserver/build makes one and prints where. The gateway then has TLS as well."
            + " Default: a sandbox; row direct needs a kube-apiserver."
      })
  private @Nullable Path apiserver;

  @Option(
      names = "--naive",
      description =
          "Measure the naive baseline server in place of this gateway, as a test of the goals: a"
              + " goal that it reaches proves nothing about a gateway.")
  private boolean naive;

  @Option(
      names = "--no-lane",
      description = "Measure gateways that serve with --no-lane. Default: no.")
  private boolean noLane;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write all figures of all pairs to this file as well, as JSON. Default: no.")
  private @Nullable Path json;

  private volatile boolean stopping;

  CompareCommand(Stdio stdio) {
    this.stdio = stdio;
  }

  @Override
  public Integer call() throws IOException {
    if (row == null) {
      StringBuilder names = new StringBuilder();
      for (Scenario each : Scenarios.ALL) {
        names.append("%-17s %s%n".formatted(each.name(), each.text()));
      }
      stdio.print(names.toString());
      return ExitCodes.SUCCESS;
    }
    Optional<Scenario> found = Scenarios.find(row);
    if (found.isEmpty()) {
      String names = Scenarios.ALL.stream().map(Scenario::name).collect(Collectors.joining(", "));
      throw UsageError.of(spec, "'" + row + "' is none of " + names);
    }
    UsageError.requireInRange(spec, "--pairs", pairs, 1, MAX_PAIRS);
    if (found.get().needsApiserver() && apiserver == null) {
      throw UsageError.of(
          spec,
          "row "
              + row
              + " needs a kube-apiserver: --apiserver \"$(e2e/apiserver/build)\" in the"
              + " repository");
    }
    List<String> common =
        List.of(
            "--warm-up=" + DurationArgument.text(warmUp),
            "--steady-within=" + DurationArgument.text(steadyWithin),
            "--duration=" + DurationArgument.text(duration));
    Scenario measured = noLane ? found.get().withoutLane() : found.get();
    Thread worker = Thread.currentThread();
    Runnable stop =
        () -> {
          stopping = true;
          worker.interrupt();
        };
    try (ShutdownHook _ = new ShutdownHook(stop)) {
      ScenarioReport report =
          new ScenarioComparison(
                  naive ? measured.asNaive() : measured,
                  new Terms(pairs, foreign, Optional.ofNullable(apiserver), common),
                  stdio.err())
              .run();
      stdio.print(report.text());
      if (json != null) {
        Files.writeString(json, report.json());
      }
      return switch (report.verdict()) {
        case MET -> ExitCodes.SUCCESS;
        case MISSED -> ExitCodes.FAILED;
        case VOID -> ExitCodes.TRY_AGAIN;
      };
    } catch (InterruptedException e) {
      return ExitCodes.FAILED; // the JVM ends with the exit code of the signal
    } catch (IOException e) {
      if (!stopping) { // Ctrl-C ends the children at the same time
        stdio.err().println("watchgate: " + e.getMessage());
      }
      return ExitCodes.FAILED;
    }
  }
}
