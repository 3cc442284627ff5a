package io.watchgate.cli;

import io.watchgate.conformance.CaseRun;
import io.watchgate.conformance.ConformanceCase;
import io.watchgate.conformance.ConformanceReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code watchgate conform}: runs the conformance suite with a client program. */
@Command(
    name = "conform",
    customSynopsis = "watchgate conform [OPTION...] -- PROGRAM [ARGUMENT...]",
    description = {
      "Tests a client of any language: for each case it starts the program at a gateway that plays"
          + " scripted streams, and compares what the program prints with what the contract makes"
          + " of them.",
      "The program gets 'configmaps --server HOST:PORT', prints one object of JSON a line, and ends"
          + " on SIGTERM with 0. conformance/README.md has the format.",
      "Without PROGRAM: lists the cases."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every case passed; those of --known failed",
      "1:a case failed, one of --known passed, or the program cannot be started",
      "2:the command line is wrong",
      "130, 143:ended by Ctrl-C, by SIGTERM"
    })
final class ConformCommand implements Callable<Integer> {
  private static final Duration MAX_TIMEOUT = Duration.ofMinutes(10);

  private final Stdio stdio;
  private final List<String> program;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--case",
      paramLabel = "NAME",
      description = "A case to run; may be repeated. Default: all.")
  private List<String> names = List.of();

  @Option(
      names = "--known",
      paramLabel = "FILE",
      description =
          "Names of cases that are known to fail, one a line; '#' begins a comment. One that passes"
              + " is an error, so that the list stays true.")
  private @Nullable Path knownFile;

  @Option(
      names = "--junit",
      paramLabel = "FILE",
      description = "Also write the results there, as JUnit XML.")
  private @Nullable Path junitFile;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      converter = DurationArgument.class,
      description = "Longest time for the output of a case, up to 10m. Default: 1m.")
  private Duration timeout = CaseRun.DEFAULT_LIMIT;

  /**
   * @param program command of the client, empty to list the cases
   */
  ConformCommand(Stdio stdio, Optional<List<String>> program) {
    this.stdio = stdio;
    this.program = program.orElse(List.of());
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (timeout.compareTo(MAX_TIMEOUT) > 0) {
      throw UsageError.of(spec, "--timeout is at most " + DurationArgument.text(MAX_TIMEOUT));
    }
    List<ConformanceCase> cases = ConformanceCase.all();
    Set<String> known = knownFile == null ? Set.of() : readNames(knownFile);
    requireCases("--case", names, cases);
    requireCases("--known", known, cases);
    List<ConformanceCase> chosen =
        names.isEmpty() ? cases : cases.stream().filter(one -> names.contains(one.name())).toList();
    return program.isEmpty() ? list(chosen) : run(chosen, known);
  }

  private static Set<String> readNames(Path file) throws IOException {
    return Files.readAllLines(file).stream()
        .map(line -> line.replaceFirst("#.*", "").strip())
        .filter(line -> !line.isEmpty())
        .collect(Collectors.toSet());
  }

  private void requireCases(String option, Iterable<String> wanted, List<ConformanceCase> cases) {
    Set<String> all = cases.stream().map(ConformanceCase::name).collect(Collectors.toSet());
    for (String name : wanted) {
      if (!all.contains(name)) {
        throw UsageError.of(
            spec, option + ": there is no case '" + name + "'; 'watchgate conform' lists them");
      }
    }
  }

  private int list(List<ConformanceCase> cases) throws IOException {
    for (ConformanceCase one : cases) {
      stdio.print(one.name() + "\n  " + one.about() + "\n");
    }
    return ExitCodes.SUCCESS;
  }

  private int run(List<ConformanceCase> cases, Set<String> known)
      throws IOException, InterruptedException {
    ConformanceReport report = new ConformanceReport(known);
    for (ConformanceCase one : cases) {
      stdio.print(report.add(new CaseRun(one, program, timeout).run()));
    }
    stdio.print(report.summary());
    if (junitFile != null) {
      Files.writeString(junitFile, report.junit());
    }
    return report.holds() ? ExitCodes.SUCCESS : ExitCodes.FAILED;
  }
}
