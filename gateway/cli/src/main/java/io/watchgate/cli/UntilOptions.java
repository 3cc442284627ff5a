package io.watchgate.cli;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options for the condition that a watch waits for, and its timeout. */
final class UntilOptions {
  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--until",
      paramLabel = "EXPRESSION",
      converter = UntilCondition.Converter.class,
      description =
          "End with 0 once an object meets this, and say which: see below. Default: go on.")
  private @Nullable UntilCondition until;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      converter = DurationArgument.class,
      description = "Maximum time to wait for --until: 30s, 5m, 1h30m. Default: for ever.")
  private @Nullable Duration timeout;

  Optional<UntilCondition> condition() {
    return Optional.ofNullable(until);
  }

  /** Throws if the options contradict each other. */
  void check() {
    if (timeout != null && until == null && command != null) {
      throw UsageError.of(command, "--timeout is how long --until waits; give --until as well");
    }
  }

  /** Waits for the end of a session, at most for the given timeout. */
  int awaitExitCode(CompletableFuture<Integer> exitCode, ReconnectReporter reporter)
      throws InterruptedException, ExecutionException {
    Duration limit = timeout;
    if (limit == null || until == null) {
      return exitCode.get();
    }
    try {
      return exitCode.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      // The first to complete the future decides; the session prints no more.
      if (exitCode.complete(ExitCodes.TIMED_OUT)) {
        reporter.report(until.text() + ": not met within " + DurationArgument.text(limit));
      }
      return exitCode.get();
    }
  }
}
