package io.watchgate.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests with few permits and many waiting requests. */
@Tag("slow")
final class FairSemaphoreTest {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Duration SHORT = Duration.ofMillis(1);

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ConcurrentLinkedQueue<String> entered = new ConcurrentLinkedQueue<>();
  private FairSemaphore turns = new FairSemaphore(1, 100);

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  /** Starts a request that waits behind the waiting ones. */
  private Future<Boolean> waits(String who) {
    int before = turns.waitingCount();
    Future<Boolean> outcome =
        threads.submit(
            () -> {
              boolean has = turns.tryAcquire(who, LONG);
              if (has) {
                entered.add(who);
              }
              return has;
            });
    await().until(() -> turns.waitingCount() > before || outcome.isDone());
    return outcome;
  }

  private boolean takes(String who) throws InterruptedException {
    return turns.tryAcquire(who, LONG);
  }

  @Test
  void waitingRequests_areServedRoundRobinByUser() throws Exception {
    assertThat(takes("a")).isTrue();
    List<Future<Boolean>> all = new ArrayList<>();
    for (String who : List.of("a", "a", "a", "b", "c")) {
      all.add(waits(who));
    }
    for (int i = 1; i <= 5; i++) {
      turns.release(i == 1 ? "a" : entered.stream().skip(i - 2L).findFirst().orElseThrow());
      int count = i;
      await().until(() -> entered.size() == count);
    }

    assertThat(entered).containsExactly("a", "b", "c", "a", "a");
    for (Future<Boolean> one : all) {
      assertThat(one.get()).isTrue();
    }
    assertThat(turns.waitingCount()).isZero();
  }

  /** Slow answers about one user leave permits to others. */
  @Test
  void permitsOfOneUser_areAtMostThreeQuarters() throws Exception {
    turns = new FairSemaphore(8, 100);
    for (int i = 0; i < 6; i++) {
      assertThat(takes("slow")).isTrue();
    }
    Future<Boolean> seventh = waits("slow");

    assertThat(turns.tryAcquire("b", SHORT)).isTrue();
    assertThat(turns.tryAcquire("c", SHORT)).isTrue();
    assertThat(turns.tryAcquire("d", SHORT)).as("all places are taken").isFalse();
    turns.release("b");
    assertThat(seventh.isDone()).as("the place is not for one with so many").isFalse();
    assertThat(turns.tryAcquire("d", SHORT)).isTrue();
    turns.release("slow");
    assertThat(seventh.get()).isTrue();
  }

  @Test
  void fullQueue_evictsNewestOfLargestUser() throws Exception {
    turns = new FairSemaphore(1, 3);
    assertThat(takes("a")).isTrue();
    List<Future<Boolean>> many = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      many.add(waits("a"));
    }
    assertThat(takes("a")).as("no room for another one of his").isFalse();
    Future<Boolean> other = threads.submit(() -> turns.tryAcquire("b", LONG));

    assertThat(many.get(2).get()).isFalse();
    await().until(() -> turns.waitingCount() == 3);
    assertThat(takes("b")).as("as many as the other has, then").isFalse();
    turns.release("a");
    turns.release(entered.isEmpty() ? "b" : entered.element());
    assertThat(other.get()).isTrue();
    assertThat(many.get(0).get()).isTrue();
  }

  @Test
  void timedOutRequest_takesNoPermit() throws Exception {
    assertThat(takes("a")).isTrue();
    assertThat(turns.tryAcquire("b", SHORT)).isFalse();
    assertThat(turns.waitingCount()).isZero();
    turns.release("a");

    assertThat(turns.tryAcquire("b", SHORT)).isTrue();
  }

  @Test
  void interruptedRequest_takesNoPermit() throws Exception {
    assertThat(takes("a")).isTrue();
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    Future<Boolean> outcome =
        threads.submit(
            () -> {
              thread.complete(Thread.currentThread());
              return turns.tryAcquire("b", LONG);
            });
    await().until(() -> turns.waitingCount() == 1);
    thread.get().interrupt();
    await().until(outcome::isDone);

    assertThat(turns.waitingCount()).isZero();
    turns.release("a");
    assertThat(turns.tryAcquire("c", SHORT)).isTrue();
  }

  @Test
  void underLoad_permitsAreNeitherExceededNorLost() throws Exception {
    long seed = new Random().nextLong();
    turns = new FairSemaphore(3, 20);
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger served = new AtomicInteger();
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      Random random = new Random(seed + i);
      String who = "user-" + i % 7;
      all.add(
          threads.submit(
              () -> {
                for (int turn = 0; turn < 200; turn++) {
                  if (turns.tryAcquire(who, Duration.ofNanos(random.nextInt(2_000_000)))) {
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    served.incrementAndGet();
                    LockSupport.parkNanos(random.nextInt(100_000));
                    inside.decrementAndGet();
                    turns.release(who);
                  }
                }
                return null;
              }));
    }
    for (Future<?> one : all) {
      one.get();
    }

    assertThat(most.get()).as("seed %d", seed).isBetween(1, 3);
    assertThat(served.get()).isPositive();
    assertThat(turns.waitingCount()).isZero();
    for (int i = 0; i < 3; i++) {
      assertThat(turns.tryAcquire("last", SHORT)).as("seed %d", seed).isTrue();
    }
    assertThat(turns.tryAcquire("last", SHORT)).isFalse();
  }
}
