package io.watchgate.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.watchgate.error.ApiError;
import io.watchgate.error.ApiException;
import io.watchgate.proto.v1.ErrorReason;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class GatewayStreamLimiterTest {
  private final GatewayStreamLimiter places =
      new GatewayStreamLimiter(new GatewayStreamLimits(5, 3));

  private static SocketAddress from(int host, int port) {
    return new InetSocketAddress("10.0.0." + host, port);
  }

  private ApiError refusal(@Nullable SocketAddress client) {
    return catchThrowableOfType(ApiException.class, () -> places.acquire(client)).error();
  }

  @Test
  void client_isItsAddressWithoutPort() throws ApiException {
    for (int port = 1; port <= 3; port++) {
      places.acquire(from(1, port));
    }

    ApiError refusal = refusal(from(1, 4));

    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_QUOTA);
    assertThat(refusal.retryAfter()).isPositive();
    assertThat(refusal.message()).contains("10.0.0.1", "3 open", "--max-streams-per-client");
    assertThat(places.usedSlots()).isEqualTo(3);
    places.acquire(from(2, 1));
    assertThat(places.maxUsedByOneClient()).isEqualTo(3);
  }

  @Test
  void totalLimit_coversAllClients() throws ApiException {
    for (int host = 1; host <= 5; host++) {
      places.acquire(from(host, 1));
    }

    assertThat(refusal(from(6, 1)).message())
        .contains("5 open", "with --max-streams.")
        .doesNotContain("10.0.0.6", "--max-streams-per-client");
    assertThat(places.usedSlots()).isEqualTo(5);
  }

  @Test
  void connectionWithoutAddress_isAClient() throws ApiException {
    for (int i = 0; i < 3; i++) {
      places.acquire(null);
    }

    assertThat(refusal(null).reason()).isEqualTo(ErrorReason.ERROR_REASON_QUOTA);
  }

  @Test
  void slot_releasedTwice_countsOnce() throws ApiException {
    GatewayStreamLimiter.Slot first = places.acquire(from(1, 1));
    GatewayStreamLimiter.Slot second = places.acquire(from(1, 2));
    first.release();
    first.release();

    assertThat(places.usedSlots()).isOne();
    assertThat(places.maxUsedByOneClient()).isOne();
    second.release();
    assertThat(places.usedSlots()).isZero();
    assertThat(places.maxUsedByOneClient()).isZero();
  }

  @Test
  void concurrentCalls_neverExceedTheLimit() throws InterruptedException {
    long seed = System.nanoTime();
    GatewayStreamLimits limits = new GatewayStreamLimits(40, 15);
    GatewayStreamLimiter shared = new GatewayStreamLimiter(limits);
    List<String> violations = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 8; t++) {
      Random random = new Random(seed + t);
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    List<GatewayStreamLimiter.Slot> own = new ArrayList<>();
                    for (int i = 0; i < 20_000; i++) {
                      try {
                        own.add(shared.acquire(from(random.nextInt(4), i)));
                      } catch (ApiException e) {
                        assertThat(e.error().reason()).isEqualTo(ErrorReason.ERROR_REASON_QUOTA);
                      }
                      if (shared.usedSlots() > limits.total()
                          || shared.maxUsedByOneClient() > limits.perClient()) {
                        synchronized (violations) {
                          violations.add("at " + i);
                        }
                      }
                      if (own.size() > random.nextInt(12)) {
                        own.removeLast().release();
                      }
                    }
                    own.forEach(GatewayStreamLimiter.Slot::release);
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(violations).as("seed %d", seed).isEmpty();
    assertThat(shared.usedSlots()).as("seed %d", seed).isZero();
    assertThat(shared.maxUsedByOneClient()).isZero();
  }
}
