package io.watchgate.cli;

import io.watchgate.encode.ProtoTime;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Option for the age of the state that a command prints. */
@OptionGroup("Freshness")
final class FreshnessOptions {
  @Option(
      names = "--max-staleness",
      paramLabel = "DURATION",
      converter = DurationArgument.OrZero.class,
      description =
          "Longest age of the state: the gateway has the apiserver prove that it is current. 0: as"
              + " of now. A state that cannot be proven is refused. Default: any age; stderr says"
              + " if it is old.")
  private @Nullable Duration maxStaleness;

  /** Returns the longest age in the form of a request; empty for any. */
  Optional<com.google.protobuf.Duration> maxStaleness() {
    return Optional.ofNullable(maxStaleness).map(ProtoTime::of);
  }
}
