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
@OptionGroup("Condition")
final class UntilOptions {
  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--until",
      paramLabel = "EXPRESSION",
      converter = UntilCondition.Converter.class,
      description =
          "End with 0 once an object meets this: created, deleted, condition=Ready,"
              + " {path}==value, jsonpath={path}=value, and others (see below); stderr names the"
              + " object. Default: do not end.")
  private @Nullable UntilCondition until;

  @Option(
      names = "--until-all",
      paramLabel = "EXPRESSION",
      converter = UntilCondition.Converter.class,
      description =
          "End with 0 once at least one object matches and every object that matches meets this."
              + " Not with --from. Default: do not end.")
  private @Nullable UntilCondition untilAll;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      converter = DurationArgument.OrZero.class,
      description =
          "Maximum time to wait for --until or --until-all: 30s, 1.5h, 90 (seconds); 0: check"
              + " the objects that exist, and end. Default: no limit.")
  private @Nullable Duration timeout;

  /** Returns the condition for one object. */
  Optional<UntilCondition> condition() {
    return Optional.ofNullable(until);
  }

  /** Returns the condition for all objects. */
  Optional<UntilCondition> conditionForAll() {
    return Optional.ofNullable(untilAll);
  }

  /** Returns the condition of either option. */
  Optional<UntilCondition> either() {
    return condition().or(this::conditionForAll);
  }

  /** Returns whether the watch ends with the state at the start. */
  boolean hasZeroTimeout() {
    return timeout != null && timeout.isZero();
  }

  /** Throws if the options contradict each other. */
  void check(PositionOptions position) {
    if (until != null && untilAll != null) {
      throw UsageError.of(command, "--until and --until-all exclude each other");
    }
    if (timeout != null && either().isEmpty()) {
      throw UsageError.of(
          command, "--timeout is how long --until waits; give --until or --until-all as well");
    }
    if (untilAll != null && position.isGiven()) {
      throw UsageError.of(
          command,
          "--until-all has to see all objects; leave --from out, or use --until for one object");
    }
  }

  /**
   * Waits for the exit code, at most for the given timeout.
   *
   * @param admissionLimit maximum time until a gateway admits the watch, if the timeout is 0, which
   *     counts from the state at the start
   */
  int awaitExitCode(
      WatchSession.Outcome outcome, ReconnectReporter reporter, Duration admissionLimit)
      throws InterruptedException, ExecutionException {
    CompletableFuture<Integer> exitCode = outcome.exitCode();
    Optional<UntilCondition> awaited = either();
    Duration limit = timeout;
    if (limit == null || awaited.isEmpty()) {
      return exitCode.get();
    }
    if (limit.isZero()) {
      try {
        CompletableFuture.anyOf(outcome.admitted(), exitCode)
            .get(admissionLimit.toNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        if (exitCode.complete(ExitCodes.FAILED)) {
          reporter.report(
              "no gateway has admitted the watch within "
                  + DurationArgument.text(admissionLimit)
                  + ", so nothing could be checked; a longer --timeout waits longer");
        }
      }
      CompletableFuture.anyOf(outcome.firstState(), exitCode).get();
    }
    try {
      return exitCode.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      // The first to complete the future decides; the session prints no more.
      if (exitCode.complete(ExitCodes.TIMED_OUT)) {
        reporter.report(
            (until != null ? "--until " : "--until-all ")
                + awaited.get().text()
                + (limit.isZero()
                    ? " is not met by the objects that exist"
                    : " was not met within " + DurationArgument.text(limit)));
      }
      return exitCode.get();
    }
  }
}
