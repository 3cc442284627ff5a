package io.watchgate.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class WorkQueueTest {
  private static final RetryPolicy SOON =
      new RetryPolicy(Duration.ofMillis(10), Duration.ofMillis(70), 1_000, 10);

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5_000_000);
  private final WorkQueue<String> queue = new WorkQueue<>(SOON, now::get);

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  /** Closes the queue and returns all keys that can be taken without waiting. */
  private List<String> left() throws InterruptedException {
    queue.close();
    List<String> all = new ArrayList<>();
    for (Optional<String> next = queue.take(); next.isPresent(); next = queue.take()) {
      all.add(next.get());
      queue.succeeded(next.get());
    }
    return all;
  }

  @Test
  void keys_areQueuedOnceInOrder() throws Exception {
    queue.add("b");
    queue.add("a");
    queue.add("b");

    assertThat(queue.readyCount()).isEqualTo(2);
    assertThat(left()).containsExactly("b", "a");
  }

  @Test
  void keyAddedDuringProcessing_isQueuedOnceAfterwards() throws Exception {
    queue.add("a");
    assertThat(queue.take()).contains("a");
    queue.add("a");
    queue.add("a");
    queue.add("b");
    assertThat(queue.readyCount()).isEqualTo(1);
    queue.succeeded("a");

    assertThat(left()).containsExactly("b", "a");
  }

  @Test
  void supersededDelays_areNotKept() throws Exception {
    for (int seconds = 10_000; seconds > 0; seconds--) {
      queue.addAfter("a", Duration.ofSeconds(seconds));
    }
    assertThat(queue.delayedEntries()).isLessThanOrEqualTo(2 + WorkQueue.MIN_SUPERSEDED);

    pass(Duration.ofSeconds(1));
    assertThat(queue.take()).contains("a");
    queue.succeeded("a");
    pass(Duration.ofSeconds(20_000));
    queue.add("b");
    assertThat(queue.take()).as("each key once").contains("b");
  }

  @Test
  void delayedKey_isQueuedAfterShortestDelay() throws Exception {
    queue.addAfter("late", Duration.ofMillis(20));
    queue.addAfter("soon", Duration.ofMillis(50));
    queue.addAfter("soon", Duration.ofMillis(10));
    queue.addAfter("soon", Duration.ofMillis(90));
    assertThat(queue.delayedCount()).isEqualTo(2);
    pass(Duration.ofMillis(10));
    assertThat(queue.take()).contains("soon");
    queue.succeeded("soon");
    pass(Duration.ofMillis(10));
    assertThat(queue.take()).contains("late");
    pass(Duration.ofSeconds(1));
    queue.add("end");

    assertThat(queue.take()).as("nothing is left of the others").contains("end");
  }

  @Test
  void waitingWorker_wakesForDelayedKey() throws Exception {
    WorkQueue<String> real = new WorkQueue<>();
    real.addAfter("a", Duration.ofMillis(30));

    assertThat(real.take()).contains("a");
  }

  @Test
  void failedKey_isRetriedWithBackoffUntilSuccess() throws Exception {
    queue.add("a");
    for (int wait : new int[] {10, 20, 40, 70, 70}) {
      assertThat(queue.take()).contains("a");
      queue.failed("a");
      pass(Duration.ofMillis(wait).minusNanos(1));
      queue.add("other");
      assertThat(queue.take()).as("%d ms are not over", wait).contains("other");
      queue.succeeded("other");
      pass(Duration.ofNanos(1));
    }
    assertThat(queue.failureCount("a")).isEqualTo(5);
    assertThat(queue.take()).contains("a");
    queue.succeeded("a");

    assertThat(queue.failureCount("a")).isZero();
    queue.add("a");
    assertThat(queue.take()).contains("a");
    queue.failed("a");
    pass(Duration.ofMillis(10));
    assertThat(queue.take()).contains("a");
  }

  @Test
  void failedKeys_areRetriedWithinRateLimit() throws Exception {
    RetryPolicy slow = new RetryPolicy(Duration.ofNanos(1), Duration.ofNanos(1), 10, 3);
    WorkQueue<Integer> limited = new WorkQueue<>(slow, now::get);
    pass(Duration.ofSeconds(10));
    for (int i = 0; i < 10; i++) {
      limited.add(i);
    }
    for (int i = 0; i < 10; i++) {
      limited.failed(limited.take().orElseThrow());
    }
    List<Integer> atOnce = new ArrayList<>();
    pass(Duration.ofNanos(1));
    for (int tenths = 0; tenths < 12; tenths++) {
      limited.add(100);
      int came = -1; // for the key that is queued in any case
      for (int key = limited.take().orElseThrow(); ; key = limited.take().orElseThrow()) {
        limited.succeeded(key);
        came++;
        if (limited.readyCount() == 0) {
          break;
        }
      }
      atOnce.add(came);
      pass(Duration.ofMillis(100));
    }

    assertThat(atOnce.get(0)).isEqualTo(3);
    assertThat(atOnce.subList(1, 8)).containsOnly(1);
    assertThat(atOnce.subList(8, 12)).containsOnly(0);
  }

  @Test
  void closedQueue_onlyHandsOutQueuedKeys() throws Exception {
    queue.add("a");
    queue.addAfter("never", Duration.ofMillis(1));
    queue.close();
    queue.add("b");
    pass(Duration.ofSeconds(1));

    assertThat(left()).containsExactly("a");
  }

  @Test
  void invalidDelays_areRefused() {
    assertThatThrownBy(() -> new RetryPolicy(Duration.ZERO, Duration.ofSeconds(1), 1, 1))
        .hasMessageContaining("must be above zero");
    assertThatThrownBy(() -> new RetryPolicy(Duration.ofSeconds(2), Duration.ofSeconds(1), 1, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () -> new RetryPolicy(Duration.ofSeconds(1), Duration.ofSeconds(1), Double.NaN, 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void underLoad_keyIsProcessedByOneWorkerAtATime() throws Exception {
    long seed = new Random().nextLong();
    int names = 20;
    WorkQueue<Integer> storm = new WorkQueue<>(SOON);
    AtomicInteger[] said = new AtomicInteger[names];
    AtomicInteger[] done = new AtomicInteger[names];
    for (int i = 0; i < names; i++) {
      said[i] = new AtomicInteger();
      done[i] = new AtomicInteger();
    }
    Set<Integer> working = ConcurrentHashMap.newKeySet();
    AtomicBoolean together = new AtomicBoolean();
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<Future<?>> workers = new ArrayList<>();
      for (int worker = 0; worker < 4; worker++) {
        Random random = new Random(seed + worker);
        workers.add(
            threads.submit(
                () -> {
                  for (Optional<Integer> next = storm.take();
                      next.isPresent();
                      next = storm.take()) {
                    int key = next.get();
                    together.compareAndSet(false, !working.add(key));
                    int seen = said[key].get();
                    boolean fails = random.nextInt(10) == 0;
                    if (!fails) {
                      done[key].set(seen);
                    }
                    working.remove(key);
                    if (fails) {
                      storm.failed(key);
                    } else {
                      storm.succeeded(key);
                    }
                  }
                  return null;
                }));
      }
      CountDownLatch writers = new CountDownLatch(2);
      for (int writer = 0; writer < 2; writer++) {
        Random random = new Random(seed - 1 - writer);
        workers.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 5_000; i++) {
                    int key = random.nextInt(names);
                    said[key].incrementAndGet();
                    storm.add(key);
                  }
                  writers.countDown();
                  return null;
                }));
      }
      assertThat(writers.await(1, TimeUnit.MINUTES)).isTrue();
      Set<Integer> open = new HashSet<>();
      long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
      do {
        open.clear();
        for (int i = 0; i < names; i++) {
          if (said[i].get() != done[i].get()) {
            open.add(i);
          }
        }
      } while (!open.isEmpty() && System.nanoTime() < deadline);
      assertThat(open).as("seed %d", seed).isEmpty();
      assertThat(together).as("seed %d", seed).isFalse();
      storm.close();
      for (Future<?> worker : workers) {
        assertThat(worker.get(1, TimeUnit.MINUTES)).isNull();
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
