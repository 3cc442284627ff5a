package io.watchgate.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.CacheMetrics;
import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.Cluster;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeReference;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.cache.Upstream;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.json.FieldPaths;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Readiness while types of {@code --type} cannot be looked up. */
final class PreloadedTypesTest {
  private static final TypeReference PODS = new TypeReference("", "", "pods");

  private final ScheduledExecutorService timer = Gateway.timer();
  private final Answers cluster = new Answers();
  private final TypeRegistry registry =
      new TypeRegistry(
          cluster,
          CacheSettings.forHeap(64 << 20),
          TimeSource.SYSTEM,
          timer,
          Thread.ofPlatform().daemon().factory(),
          definition -> FieldPaths.NONE,
          definition -> CacheMetrics.NONE);
  private final PreloadedTypes types = new PreloadedTypes(cluster, registry, Duration.ofMillis(1));

  @AfterEach
  void close() {
    types.close();
    registry.close();
    timer.shutdownNow();
  }

  /** Lookups that each wait for a permit, after the first one. */
  private static final class Answers implements Cluster {
    private volatile Resolution resolution = new Unknown(List.of());
    private final Semaphore permits = new Semaphore(1);
    private final Semaphore lookups = new Semaphore(0);

    @Override
    public Resolution resolve(TypeReference name) throws InterruptedException {
      permits.acquire();
      lookups.release();
      return resolution;
    }

    @Override
    public Resolution refresh(TypeReference name) throws InterruptedException {
      return resolve(name);
    }

    @Override
    public Listing types() {
      throw new AssertionError("not asked for");
    }

    @Override
    public Upstream open(TypeDefinition definition) {
      throw new AssertionError("no type is found");
    }
  }

  /** Returns why a gateway that is ready itself would not be ready. */
  private String notReadyReason() {
    Readiness readiness = new Readiness(types::checks);
    readiness.markReady();
    return readiness.notReadyReason();
  }

  private static Cluster.Resolution unavailable() {
    return new Cluster.Unavailable(new UpstreamFailure.Transport("connection refused"));
  }

  @Test
  void lookupWithoutAnswer_isNotReady_untilTypeIsKnownToBeUnknown() throws Exception {
    cluster.resolution = unavailable();
    types.keep(PODS);
    assertThat(notReadyReason()).isEqualTo("pods cannot be looked up yet: connection refused");

    cluster.resolution = new Cluster.Unknown(List.of());
    cluster.permits.release();
    await().untilAsserted(() -> assertThat(notReadyReason()).isEmpty());
    cluster.resolution = unavailable();
    cluster.permits.release();
    await().untilAsserted(() -> assertThat(notReadyReason()).isNotEmpty());
  }

  @Test
  void lookupsThatNeverHaveAnAnswer_holdUpReadinessForTenOfThem() throws Exception {
    cluster.resolution = unavailable();
    types.keep(PODS);
    cluster.permits.release(PreloadedTypes.MAX_UNANSWERED_LOOKUPS - 2);
    cluster.lookups.acquire(PreloadedTypes.MAX_UNANSWERED_LOOKUPS - 1);
    assertThat(notReadyReason()).isNotEmpty();

    cluster.permits.release();
    await().untilAsserted(() -> assertThat(notReadyReason()).isEmpty());
  }
}
