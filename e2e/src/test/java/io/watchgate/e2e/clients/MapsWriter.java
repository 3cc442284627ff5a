package io.watchgate.e2e.clients;

import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Thread that creates, changes and deletes config maps at random, 50 per second. */
public final class MapsWriter implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final int OBJECTS = 1_000;
  private static final int COPIED = 20; // one of 20 has the label
  private static final int WRITES_PER_SECOND = 50;

  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
  private final AtomicInteger count = new AtomicInteger();
  private final Maps maps;
  private final Random random;
  private final Future<?> writing;

  /** Starts to write to a namespace with {@link #thousandMaps}. */
  public MapsWriter(Maps maps) {
    this.maps = maps;
    long seed = Long.getLong("seed", System.nanoTime());
    System.err.println("seed " + seed);
    this.random = new Random(seed);
    this.writing =
        thread.scheduleAtFixedRate(
            this::write,
            0,
            TimeUnit.SECONDS.toMicros(1) / WRITES_PER_SECOND,
            TimeUnit.MICROSECONDS);
  }

  /**
   * Creates a namespace with 1,000 config maps. Some have the label for which a {@link
   * KubeController} writes a copy to another namespace, which is created as well.
   */
  public static Maps thousandMaps(Apiserver apiserver) {
    Maps maps = new Maps(apiserver.cluster());
    apiserver.cluster().createNamespace(maps.namespace() + "-copies");
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      List<CompletableFuture<Void>> created =
          IntStream.range(0, OBJECTS)
              .mapToObj(i -> CompletableFuture.runAsync(() -> create(maps, i), threads))
              .toList();
      created.forEach(CompletableFuture::join);
    }
    return maps;
  }

  private static void create(Maps maps, int number) {
    maps.cluster()
        .create(
            Resource.CONFIGMAPS,
            Json.parse(
                """
                {"apiVersion":"v1","kind":"ConfigMap","data":{"value":"0"},
                 "metadata":{"namespace":"%s","name":"map-%d","labels":{"app":"%s"}}}
                """
                    .formatted(maps.namespace(), number, number % COPIED == 0 ? "web" : "api")));
  }

  /** Creates, deletes or changes one; those with a copy are only changed. */
  private void write() {
    int number = count.get();
    int deleted = OBJECTS / 2 + number;
    switch (random.nextInt(10)) {
      case 0 -> maps.create("new-" + number);
      case 1 -> {
        if (deleted % COPIED != 0 && deleted < OBJECTS) {
          maps.delete("map-" + deleted);
        }
      }
      default -> maps.change("map-" + COPIED * random.nextInt(OBJECTS / COPIED), "value " + number);
    }
    count.incrementAndGet();
  }

  /** Returns the number of writes so far. */
  public int count() {
    return count.get();
  }

  /** Waits for a total number of writes. */
  public void awaitCount(int number) throws ExecutionException, InterruptedException {
    await().atMost(LIMIT).until(() -> count.get() >= number || writing.isDone());
    if (writing.isDone()) {
      writing.get();
    }
  }

  /** Ends the writes. */
  @Override
  public void close() {
    thread.close();
  }
}
