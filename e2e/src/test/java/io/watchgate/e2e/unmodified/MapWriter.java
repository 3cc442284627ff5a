package io.watchgate.e2e.unmodified;

import io.watchgate.e2e.kube.KubeException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/** Writer that continuously creates, changes, relabels and deletes a few config maps. */
final class MapWriter implements AutoCloseable {
  private static final int MAPS = 5;
  private static final Duration PAUSE = Duration.ofMillis(30);
  private static final int NOT_FOUND = 404;

  private final LabeledMaps maps;
  private final Random random;
  private final CompletableFuture<Void> end;
  private volatile boolean stopped;

  private MapWriter(LabeledMaps maps, long seed) {
    this.maps = maps;
    this.random = new Random(seed);
    this.end = CompletableFuture.runAsync(this::run, task -> Thread.ofVirtual().start(task));
  }

  static MapWriter start(LabeledMaps maps) {
    long seed = Long.getLong("seed", System.nanoTime());
    System.err.println("the writer's seed: " + seed);
    return new MapWriter(maps, seed);
  }

  private void run() {
    for (int value = 1; !stopped; value++) {
      write("written-" + random.nextInt(MAPS), value);
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  private void write(String name, int value) {
    try {
      switch (random.nextInt(10)) {
        case 0 -> maps.delete(name);
        case 1 -> maps.label(name, "api");
        case 2 -> maps.label(name, "web");
        default -> maps.set(name, value);
      }
    } catch (KubeException e) {
      if (e.code() != NOT_FOUND) {
        throw e;
      }
      maps.create(name, "web");
    }
  }

  /**
   * Stops. Returns once the last write was answered.
   *
   * @throws java.util.concurrent.CompletionException if a write failed
   */
  @Override
  public void close() {
    stopped = true;
    end.join();
  }
}
