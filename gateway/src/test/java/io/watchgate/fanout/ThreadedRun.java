package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Random history of a cluster, two gateways that follow it and many clients, on real threads: a
 * writer, a pool for routing, one for replays, two event loops, and two threads that open streams
 * and make transports ready. The responses are checked after all threads are idle.
 */
final class ThreadedRun {
  private static final int CLIENTS = 120;

  /**
   * Number of changes between two pauses, in which clients that always read must get everything.
   */
  private static final int UNTIL_REST = 100;

  private final int events;
  private final Random random;
  private final Truth truth;
  private final List<ExecutorService> threads = new ArrayList<>();
  private final ScheduledExecutorService timer = scheduled("timer", 1);
  private final ScheduledExecutorService world = scheduled("world", 3);
  private final Gateway gateway;
  private final List<ThreadedClient> clients = new ArrayList<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile long written;
  private volatile boolean allIsWritten;
  private volatile long lastEvent;

  /** True during a pause in which the clients catch up; and the time of its start. */
  private boolean resting;

  private long restingSince;

  /** View of a gateway that a client has. */
  record Gateway(List<TruthCache> caches, List<StreamLoop> owners, RouterRegistry routers) {
    Subscription.Environment environment(int owner) {
      return new Subscription.Environment(
          owners.get(owner),
          owners.get(owner).arrival(),
          routers,
          routers.shared(),
          new FanoutSettings(
              Duration.ofMillis(300),
              Duration.ofMillis(200),
              Duration.ofSeconds(30),
              Duration.ZERO,
              Duration.ofSeconds(30),
              FanoutSettings.DEFAULTS.limits()),
          TimeSource.SYSTEM,
          FanoutMetrics.NONE);
    }
  }

  /**
   * @param events number of changes in the cluster
   */
  ThreadedRun(long seed, int events) {
    this.events = events;
    random = new Random(seed);
    truth = new Truth(random);
    CacheSettings settings =
        CacheWriter.settings()
            .withHistory(Duration.ofHours(1), random.nextBoolean() ? 40_000 : 400_000)
            .withLaggardBytes(random.nextBoolean() ? 40_000 : 400_000);
    List<TruthCache> caches =
        List.of(
            new TruthCache(truth, settings, TimeSource.SYSTEM, random),
            new TruthCache(truth, settings, TimeSource.SYSTEM, random));
    List<StreamLoop> owners = List.of(owner(0), owner(1));
    gateway =
        new Gateway(
            caches,
            owners,
            new RouterRegistry(
                pool(2),
                pool(1),
                timer,
                new FanoutSettings.Limits(
                    1_000,
                    random.nextBoolean() ? 1 << 20 : 1 << 30,
                    1 + random.nextInt(16),
                    random.nextBoolean() ? 100_000 : 1 << 30)));
    List<Choice> choices = new ArrayList<>(Choice.ALL);
    choices.addAll(Choice.objects());
    for (int i = 0; i < CLIENTS; i++) {
      Choice choice = choices.get(i % 4 == 0 ? 0 : random.nextInt(choices.size()));
      clients.add(new ThreadedClient(choice, new Random(random.nextLong())));
    }
  }

  private ScheduledExecutorService scheduled(String name, int count) {
    ScheduledExecutorService made =
        new ScheduledThreadPoolExecutor(
            count,
            Thread.ofPlatform().daemon().name("test-" + name + "-", 0).factory(),
            new ThreadPoolExecutor.DiscardPolicy());
    threads.add(made);
    return made;
  }

  /** Returns a pool that discards tasks after it was closed. */
  private ExecutorService pool(int count) {
    ExecutorService made =
        new ThreadPoolExecutor(
            count,
            count,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            new ThreadPoolExecutor.DiscardPolicy());
    threads.add(made);
    return made;
  }

  private StreamLoop owner(int number) {
    return new StreamLoop(number, pool(1), timer, TimeSource.SYSTEM, FanoutMetrics.NONE);
  }

  /** Returns the signals and reasons that occurred. */
  Set<String> run() {
    try {
      Random some = new Random(random.nextLong());
      Random others = new Random(random.nextLong());
      every(1, () -> drive(clients.subList(0, CLIENTS / 2), some));
      every(1, () -> drive(clients.subList(CLIENTS / 2, CLIENTS), others));
      every(1, this::write);
      await()
          .atMost(Duration.ofMinutes(2))
          .pollInterval(Duration.ofMillis(50))
          .until(() -> failure.get() != null || hasSettled());
    } finally {
      stop();
    }
    Throwable failed = failure.get();
    if (failed != null) {
      throw new AssertionError("a thread failed", failed);
    }
    Set<String> met = new TreeSet<>();
    clients.forEach(client -> client.verify(truth, met));
    return met;
  }

  private void every(int milliseconds, Step step) {
    var _ =
        world.scheduleWithFixedDelay(
            () -> {
              try {
                step.run();
              } catch (Throwable t) {
                failure.compareAndSet(null, t);
              }
            },
            0,
            milliseconds,
            TimeUnit.MILLISECONDS);
  }

  private interface Step {
    void run() throws ApiException;
  }

  /** Adds a burst of changes, and applies a part of them to the caches. */
  private void write() {
    if (resting && !hasRested()) {
      return;
    }
    int count = random.nextInt(10) == 0 ? 100 : random.nextInt(4);
    for (int i = 0; i < count && truth.current().events.size() < events && !resting; i++) {
      int before = truth.current().events.size();
      truth.step();
      written = truth.current().now;
      for (TruthCache cache : gateway.caches()) {
        if (random.nextInt(4) > 0) {
          cache.step();
        }
      }
      int size = truth.current().events.size();
      if (size > before && size % UNTIL_REST == 0) {
        catchUp();
        resting = true;
        restingSince = System.nanoTime();
      }
    }
    if (!resting && !allIsWritten && truth.current().events.size() >= events) {
      catchUp();
      allIsWritten = true;
    }
  }

  private void catchUp() {
    gateway.caches().forEach(TruthCache::catchUp);
    lastEvent = truth.current().events.lastKey();
    written = truth.current().now;
  }

  private boolean hasRested() {
    resting = !clients.stream().allMatch(client -> client.keepsUpWith(lastEvent));
    if (resting && System.nanoTime() - restingSince > Duration.ofSeconds(30).toNanos()) {
      throw new AssertionError("a change was not sent to one who reads all the time");
    }
    return !resting;
  }

  private void drive(List<ThreadedClient> some, Random which) throws ApiException {
    if (allIsWritten) {
      for (ThreadedClient client : some) {
        client.settle(gateway);
      }
      return;
    }
    for (int i = 0; i < 5; i++) {
      some.get(which.nextInt(some.size())).step(gateway, written);
    }
  }

  private boolean hasSettled() {
    return allIsWritten
        && clients.stream().allMatch(client -> client.hasReached(lastEvent, written));
  }

  private void stop() {
    world.shutdownNow();
    clients.forEach(ThreadedClient::cancel);
    await("each stream gives its feed back")
        .atMost(Duration.ofMinutes(1))
        .until(() -> gateway.routers().feeds() == 0);
    for (ExecutorService some : threads.reversed()) { // the event loops first: they call the others
      some.shutdown();
      try {
        assertThat(some.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError(e);
      }
    }
  }
}
