package io.watchgate.cli;

import static io.watchgate.cli.UsageError.requireInRange;

import io.watchgate.admission.GatewayStreamLimits;
import io.watchgate.fanout.FanoutSettings;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Options that limit the cost of streams: in total, for each client or for each type. Each limit
 * has a metric.
 */
@OptionGroup("Limits")
final class LimitOptions {
  private static final int MAX_STREAMS = 10_000_000;
  private static final int MAX_FEEDS = 1_000_000;
  private static final int MAX_MIB = 8192;
  private static final int MAX_SNAPSHOT_MIB = 65_536;
  private static final int MIN_MIB = 16;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--max-streams",
      paramLabel = "COUNT",
      defaultValue = "" + GatewayStreamLimits.DEFAULT_TOTAL,
      description =
          "Maximum number of open streams, 1 to 10000000; further ones are refused. Default:"
              + " ${DEFAULT-VALUE}.")
  private int maxStreams;

  @Option(
      names = "--max-streams-per-client",
      paramLabel = "COUNT",
      defaultValue = "" + GatewayStreamLimits.DEFAULT_PER_CLIENT,
      description =
          "Maximum number of open streams of one client address. Raise it if clients connect"
              + " through a proxy. Default: ${DEFAULT-VALUE}.")
  private int maxStreamsPerClient;

  @Option(
      names = "--max-feeds",
      paramLabel = "COUNT",
      defaultValue = "" + FanoutSettings.Limits.DEFAULT_FEEDS,
      description =
          "Maximum number of different selections and projections that are served at a time, 1 to"
              + " 1000000. Default: ${DEFAULT-VALUE}.")
  private int maxFeeds;

  @Option(
      names = "--outbound-mib",
      paramLabel = "MIB",
      description =
          "Maximum of bytes in the transport, outside the heap, for slow readers: 16 to 8192. Above"
              + " it, slow streams get less at a time, and streams that do not read are closed."
              + " Default: an eighth of the heap, 16 to 256.")
  private @Nullable Integer outboundMib;

  @Option(
      names = "--laggard-mib",
      paramLabel = "MIB",
      description =
          "Maximum heap, for each type, of the objects that streams behind the history still need,"
              + " 16 to 8192. Above it, or if the heap is full, these streams get a new"
              + " snapshot or end (LAGGED). Default: an eighth of the heap, at most 128.")
  private @Nullable Integer laggardMib;

  @Option(
      names = "--max-pinned-revisions",
      paramLabel = "COUNT",
      defaultValue = "" + FanoutSettings.Limits.DEFAULT_PINNED_REVISIONS,
      description =
          "Maximum number of old states of each type that are kept for streams behind the history,"
              + " 1 to 64. Default: ${DEFAULT-VALUE}.")
  private int maxPinnedRevisions;

  @Option(
      names = "--snapshot-mib",
      paramLabel = "MIB",
      description =
          "Maximum of bytes of snapshots that are sent at a time, 16 to 65536; further snapshots"
              + " wait. Default: half of the heap, 16 to 4096.")
  private @Nullable Integer snapshotMib;

  GatewayStreamLimits streamLimits() {
    return new GatewayStreamLimits(
        requireInRange(command, "--max-streams", maxStreams, 1, MAX_STREAMS),
        requireInRange(command, "--max-streams-per-client", maxStreamsPerClient, 1, MAX_STREAMS));
  }

  /**
   * @param heap bytes from which the defaults are derived
   */
  FanoutSettings fanoutSettings(long heap) {
    FanoutSettings.Limits usual = FanoutSettings.Limits.forHeap(heap);
    return FanoutSettings.DEFAULTS.with(
        new FanoutSettings.Limits(
            requireInRange(command, "--max-feeds", maxFeeds, 1, MAX_FEEDS),
            bytes("--outbound-mib", outboundMib, MAX_MIB, usual.outboundBytes()),
            requireInRange(command, "--max-pinned-revisions", maxPinnedRevisions, 1, 64),
            bytes("--snapshot-mib", snapshotMib, MAX_SNAPSHOT_MIB, usual.snapshotBytes())));
  }

  /**
   * @param usual bytes if the option is not given
   */
  long laggardBytes(long usual) {
    return bytes("--laggard-mib", laggardMib, MAX_MIB, usual);
  }

  private long bytes(String option, @Nullable Integer mib, int max, long usual) {
    return mib == null ? usual : (long) requireInRange(command, option, mib, MIN_MIB, max) << 20;
  }
}
