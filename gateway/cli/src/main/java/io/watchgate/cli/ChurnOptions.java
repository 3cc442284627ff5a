package io.watchgate.cli;

import io.watchgate.sandbox.churn.ChurnSettings;
import io.watchgate.sandbox.churn.ChurnSettings.Pace;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options of the cluster simulation in a sandbox. */
@OptionGroup("Simulated cluster")
final class ChurnOptions {
  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--churn",
      paramLabel = "NODES",
      description =
          "Number of nodes of a cluster that is simulated in the sandbox, 0 to 5000, with about six"
              + " pods each: deployments are rolled out, pods are scheduled, start, crash and end."
              + " Default: 0 for sandbox, else 3.")
  private @Nullable Integer nodes;

  @Option(
      names = "--seed",
      paramLabel = "NUMBER",
      description = "The same seed repeats the same cluster. Default: 1.")
  private @Nullable Long seed;

  /** Returns whether any of these options was given. */
  boolean isGiven() {
    return nodes != null || seed != null;
  }

  long seed() {
    return seed == null ? ChurnSettings.DEFAULT_SEED : seed;
  }

  /**
   * Returns the settings; empty if nothing is simulated.
   *
   * @param usual number of nodes if the option is not given
   * @param pace pace of the users' changes
   */
  Optional<ChurnSettings> settings(int usual, Pace pace) {
    int count =
        UsageError.requireInRange(
            command, "--churn", nodes == null ? usual : nodes, 0, ChurnSettings.MAX_NODES);
    return count == 0 ? Optional.empty() : Optional.of(new ChurnSettings(count, seed(), pace));
  }
}
