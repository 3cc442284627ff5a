package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class ComparisonPermitsTest {
  private static CompletableFuture<ComparisonPermits.Permit> acquire(ComparisonPermits permits) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return permits.acquire();
          } catch (InterruptedException e) {
            throw new CompletionException(e);
          }
        },
        Thread::startVirtualThread);
  }

  @Test
  void closedPermit_isPassedOn() throws InterruptedException {
    ComparisonPermits permits = new ComparisonPermits(2, Duration.ofHours(1), TimeSource.SYSTEM);
    ComparisonPermits.Permit first = permits.acquire();
    ComparisonPermits.Permit second = permits.acquire();
    CompletableFuture<ComparisonPermits.Permit> third = acquire(permits);
    await().until(() -> permits.waiting() == 1);
    assertThat(third).isNotDone();

    first.close();
    first.close();
    third.join().close();
    second.close();
    assertThat(permits.waiting()).isZero();
  }

  @Test
  void longComparison_doesNotBlockOthers() throws InterruptedException {
    ComparisonPermits permits = new ComparisonPermits(1, Duration.ofMillis(50), TimeSource.SYSTEM);
    ComparisonPermits.Permit hangs = permits.acquire();
    ComparisonPermits.Permit second = permits.acquire();
    ComparisonPermits.Permit third = permits.acquire();
    hangs.close(); // it counts no more, so this passes nothing on
    second.close();
    third.close();
    assertThat(permits.waiting()).isZero();
  }
}
