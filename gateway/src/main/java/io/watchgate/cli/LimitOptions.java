package io.watchgate.cli;

import io.watchgate.feed.FeedSettings;
import io.watchgate.grpc.StreamLimits;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options that bound what all streams together may cost. Each bound has a metric. */
final class LimitOptions {
  private static final int MOST_STREAMS = 10_000_000;
  private static final int MOST_FEEDS = 1_000_000;
  private static final int MOST_MIB = 8192;
  private static final int MOST_SNAPSHOT_MIB = 65_536;
  private static final int LEAST_MIB = 16;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--max-streams",
      paramLabel = "COUNT",
      defaultValue = "100000",
      description =
          "How many streams may be open, 1 to 10000000; further ones are refused. Default:"
              + " ${DEFAULT-VALUE}.")
  private int maxStreams;

  @Option(
      names = "--max-streams-per-client",
      paramLabel = "COUNT",
      defaultValue = "20000",
      description =
          "The same for one client, which is one address: raise it where clients come through a"
              + " proxy. Default: ${DEFAULT-VALUE}.")
  private int maxStreamsPerClient;

  @Option(
      names = "--max-feeds",
      paramLabel = "COUNT",
      defaultValue = "50000",
      description =
          "How many different selections and projections may be served at a time, 1 to 1000000."
              + " Default: ${DEFAULT-VALUE}.")
  private int maxFeeds;

  @Option(
      names = "--outbound-mib",
      paramLabel = "MIB",
      defaultValue = "256",
      description =
          "What may wait in the transport for those who do not read, 16 to 8192; beyond it one"
              + " who was not reading gets less at a time, and who does not read at all is ended."
              + " Default: ${DEFAULT-VALUE}.")
  private int outboundMib;

  @Option(
      names = "--laggard-mib",
      paramLabel = "MIB",
      defaultValue = "128",
      description =
          "What those who fell behind history may keep alive of a type, 16 to 8192. Default:"
              + " ${DEFAULT-VALUE}.")
  private int laggardMib;

  @Option(
      names = "--checkpoints",
      paramLabel = "COUNT",
      defaultValue = "16",
      description =
          "How many states behind history they may stand on, of a type, 1 to 64. Default:"
              + " ${DEFAULT-VALUE}.")
  private int checkpoints;

  @Option(
      names = "--snapshot-mib",
      paramLabel = "MIB",
      defaultValue = "4096",
      description =
          "How much of snapshots may be under way at a time, 16 to 65536; further ones wait their"
              + " turn. Default: ${DEFAULT-VALUE}.")
  private int snapshotMib;

  StreamLimits streams() {
    return new StreamLimits(
        within("--max-streams", maxStreams, 1, MOST_STREAMS),
        within("--max-streams-per-client", maxStreamsPerClient, 1, MOST_STREAMS));
  }

  FeedSettings feeds() {
    return FeedSettings.DEFAULTS.with(
        new FeedSettings.Limits(
            within("--max-feeds", maxFeeds, 1, MOST_FEEDS),
            (long) within("--outbound-mib", outboundMib, LEAST_MIB, MOST_MIB) << 20,
            within("--checkpoints", checkpoints, 1, 64),
            (long) within("--snapshot-mib", snapshotMib, LEAST_MIB, MOST_SNAPSHOT_MIB) << 20));
  }

  long laggardBytes() {
    return (long) within("--laggard-mib", laggardMib, LEAST_MIB, MOST_MIB) << 20;
  }

  private int within(String option, int value, int min, int max) {
    if (value < min || value > max) {
      throw new ParameterException(
          Objects.requireNonNull(command).commandLine(),
          option + " " + value + " is out of range: " + min + " to " + max);
    }
    return value;
  }
}
