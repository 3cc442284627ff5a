package io.watchgate.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.watchgate.client.WatchClient;
import io.watchgate.informer.Decoder;
import io.watchgate.informer.Informer;
import io.watchgate.testing.FakeGateway;
import java.lang.ref.WeakReference;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests of an informer's meters in a Micrometer registry. */
final class MicrometerMetersTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  private double value(String meter) {
    return registry
        .get("watchgate.informer." + meter)
        .tag("informer", "web")
        .meter()
        .measure()
        .iterator()
        .next()
        .getValue();
  }

  private static void collectGarbage() {
    WeakReference<Object> unused = new WeakReference<>(new Object());
    await()
        .until(
            () -> {
              System.gc();
              return unused.get() == null;
            });
  }

  @Test
  void meters_areRegisteredUntilInformerIsClosed() throws Exception {
    try (FakeGateway gateway = FakeGateway.start();
        WatchClient client =
            WatchClient.to("fake", 1).transport((host, port) -> gateway.channel()).build()) {
      gateway.put("shop", "web", "1");
      long begin = System.nanoTime();
      try (Informer<ByteString> informer =
          Informer.of(client, "pods", Decoder.raw())
              .name("web")
              .meters(new MicrometerMeters(registry))
              .start()) {
        informer.awaitSynced(LIMIT);
        gateway.put("shop", "db", "1");
        gateway.put("shop", "db", "2");
        collectGarbage(); // a counter whose source is collected keeps its last value
        gateway.cut();
        await().until(() -> value("interruptions") == 1);
        gateway.put("shop", "mail", "1");
        informer.await(now -> now.size() == 3, LIMIT);

        assertThat(value("objects")).isEqualTo(3);
        assertThat(value("synced")).isEqualTo(1);
        assertThat(value("changes")).isEqualTo(3);
        assertThat(value("snapshots")).isEqualTo(1);
        assertThat(value("problems")).isZero();
        assertThat(value("restarts")).isZero();
        assertThat(value("stale.changes")).isZero();
        assertThat(value("pending.changes")).isZero();
        double staleness = value("staleness.seconds");
        assertThat(staleness).isBetween(0.0, (System.nanoTime() - begin) / 1e9);
        assertThat(registry.getMeters())
            .allSatisfy(meter -> assertThat(meter.getId().getDescription()).isNotBlank())
            .extracting(meter -> meter.getId().getType())
            .contains(Meter.Type.COUNTER, Meter.Type.GAUGE);
      }

      assertThat(registry.getMeters()).isEmpty();
    }
  }
}
