package io.watchgate.cli;

import static io.watchgate.cli.UsageError.requireInRange;

import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.FreshnessProofSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options of the gateway for the state and the history of each type. */
@OptionGroup("State and history of each type")
final class CacheOptions {
  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--history-age",
      paramLabel = "MINUTES",
      defaultValue = "" + CacheSettings.History.DEFAULT_AGE_MINUTES,
      description =
          "Age up to which the gateway keeps changes, for clients that were away, 1 to 1440. Older"
              + " ones are fetched from the apiserver, which keeps about five minutes."
              + " Default: ${DEFAULT-VALUE}.")
  private int historyMinutes;

  @Option(
      names = "--history-mib",
      paramLabel = "MIB",
      description =
          "Maximum size of the history of each type, 1 to 8192; the history ends at this limit or"
              + " at --history-age, whichever is reached first. The history of all types together"
              + " may use the heap that cached objects do not need. Default: an eighth of the heap,"
              + " at most 64.")
  private @Nullable Integer historyMib;

  @Option(
      names = "--unused-after",
      paramLabel = "SECONDS",
      defaultValue = "" + CacheSettings.DEFAULT_UNUSED_AFTER_SECONDS,
      description =
          "Time after which a type without streams is closed upstream, 0 (never) to 86400. Default:"
              + " ${DEFAULT-VALUE}.")
  private int unusedSeconds;

  @Option(
      names = "--probe-interval",
      paramLabel = "SECONDS",
      defaultValue = "" + CacheSettings.DEFAULT_PROBE_SECONDS,
      description =
          "Interval at which the apiserver is asked for the current version of each type, 1 to 60."
              + " The reported staleness depends on it. Default: ${DEFAULT-VALUE}.")
  private int probeSeconds;

  @Option(
      names = "--self-check",
      paramLabel = "MINUTES",
      defaultValue = "" + CacheSettings.DEFAULT_SELF_CHECK_MINUTES,
      description =
          "Interval at which each type's state is compared with the apiserver's, by a list of its"
              + " metadata: 0 (never) to 1440. Default: ${DEFAULT-VALUE}.")
  private int selfCheckMinutes;

  @Option(
      names = "--proof-objects",
      paramLabel = "OBJECTS",
      defaultValue = "" + FreshnessProofSettings.DEFAULT_MAX_LISTED,
      description =
          "Largest number of objects of a type whose freshness is proven by a list of the metadata"
              + " of all, 0 to 100000. A larger type is proven by its version, or by a brief watch."
              + " Default: ${DEFAULT-VALUE}.")
  private int proofObjects;

  @Option(
      names = "--drop-managed-fields",
      description =
          "Hold objects without metadata.managedFields, to save memory: then view FULL has none"
              + " either. Not with --kube-listen. Default: they are kept.")
  private boolean dropManagedFields;

  /**
   * Requires that objects are held complete. A client of the Kubernetes API may apply what it has
   * read, and needs the managed fields for that.
   *
   * @throws ParameterException if they are not
   */
  void requireCompleteObjects() {
    if (dropManagedFields) {
      throw UsageError.of(
          command,
          "--drop-managed-fields is not for --kube-listen, whose clients expect complete objects;"
              + " leave one of them out");
    }
  }

  /**
   * Returns the settings.
   *
   * @param heap bytes that the gateway may use; the default of several options depends on it
   * @throws ParameterException if a value is out of range
   */
  CacheSettings settings(long heap, LimitOptions limits) {
    CacheSettings usual = CacheSettings.forHeap(heap);
    CacheSettings settings =
        usual
            .withHistory(
                Duration.ofMinutes(
                    requireInRange(command, "--history-age", historyMinutes, 1, 1440)),
                historyMib == null
                    ? usual.history().bytes()
                    : (long) requireInRange(command, "--history-mib", historyMib, 1, 8192) << 20)
            .withLaggardBytes(limits.laggardBytes(usual.history().laggardBytes()))
            .withProbeEvery(
                Duration.ofSeconds(
                    requireInRange(command, "--probe-interval", probeSeconds, 1, 60)))
            .withSelfCheckEvery(
                Duration.ofMinutes(
                    requireInRange(command, "--self-check", selfCheckMinutes, 0, 1440)))
            .withMaxListed(requireInRange(command, "--proof-objects", proofObjects, 0, 100_000))
            .withUnusedAfter(
                Duration.ofSeconds(
                    requireInRange(command, "--unused-after", unusedSeconds, 0, 86400)));
    return dropManagedFields ? settings.withoutManagedFields() : settings;
  }
}
