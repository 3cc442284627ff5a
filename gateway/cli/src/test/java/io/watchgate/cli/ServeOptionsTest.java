package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.CacheSettings;
import io.watchgate.server.GatewaySettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Settings of a gateway from options, with defaults derived from the heap. */
final class ServeOptionsTest {
  private static final long MIB = 1 << 20;

  @Command
  private static final class Serve {
    @Mixin private final ServeOptions options = new ServeOptions();
  }

  private static GatewaySettings settings(long heapMib, String... arguments) {
    Serve serve = new Serve();
    new CommandLine(serve).parseArgs(arguments);
    return serve.options.settings(heapMib * MIB);
  }

  @Test
  void defaults_followFromHeap() {
    GatewaySettings small = settings(256);
    assertThat(small.cache().history().bytes()).isEqualTo(32 * MIB);
    assertThat(small.cache().history().laggardBytes()).isEqualTo(32 * MIB);
    assertThat(small.fanout().limits().outboundBytes()).isEqualTo(32 * MIB);
    assertThat(small.fanout().limits().snapshotBytes()).isEqualTo(128 * MIB);

    GatewaySettings large = settings(16 << 10);
    assertThat(large.cache().history().bytes()).isEqualTo(64 * MIB);
    assertThat(large.cache().history().laggardBytes()).isEqualTo(128 * MIB);
    assertThat(large.fanout().limits().outboundBytes()).isEqualTo(256 * MIB);
    assertThat(large.fanout().limits().snapshotBytes()).isEqualTo(4096 * MIB);
  }

  @Test
  void givenOptions_overrideDefaults() {
    GatewaySettings given =
        settings(
            256,
            "--history-mib=7",
            "--laggard-mib=17",
            "--outbound-mib=18",
            "--snapshot-mib=19",
            "--history-age=3");

    assertThat(given.cache().history())
        .isEqualTo(new CacheSettings.History(Duration.ofMinutes(3), 7 * MIB, 17 * MIB));
    assertThat(given.fanout().limits().outboundBytes()).isEqualTo(18 * MIB);
    assertThat(given.fanout().limits().snapshotBytes()).isEqualTo(19 * MIB);
  }

  @Test
  void noLane_turnsLaneOff() {
    assertThat(settings(256).lane()).isEqualTo(GatewaySettings.Lane.ON);
    assertThat(settings(256, "--no-lane").lane()).isEqualTo(GatewaySettings.Lane.OFF);
  }
}
