package io.watchgate.sandbox.churn;

import io.watchgate.cache.TimeSource;
import io.watchgate.http.ResourceCatalog;
import io.watchgate.http.WriteBackend;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets a cluster live until it is closed. Thread-safe. */
public final class ClusterSimulation implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ClusterSimulation.class);

  /** What is lived through at once, so that the first visitor meets a cluster that runs. */
  private static final long PAST_MILLIS = 20_000;

  /** How soon something that somebody else did is noticed. */
  private static final long LOOK_NANOS = 50_000_000;

  private final Thread thread;

  private ClusterSimulation(
      ResourceCatalog catalog, WriteBackend writes, ChurnSettings settings, TimeSource time) {
    thread =
        Thread.ofPlatform()
            .daemon()
            .name("churn")
            .start(() -> live(catalog, writes, settings, time));
  }

  /**
   * Makes the cluster and lets it live, on a thread of its own.
   *
   * @param catalog serves all the types that a cluster lives of, empty
   */
  public static ClusterSimulation start(
      ResourceCatalog catalog, WriteBackend writes, ChurnSettings settings, TimeSource time) {
    return new ClusterSimulation(catalog, writes, settings, time);
  }

  private static void live(
      ResourceCatalog catalog, WriteBackend writes, ChurnSettings settings, TimeSource time) {
    try (Simulation simulation = new Simulation(catalog, writes, settings, time)) {
      simulation.runUntil(PAST_MILLIS);
      long beginning = time.nanoTime() - PAST_MILLIS * 1_000_000;
      while (!Thread.currentThread().isInterrupted()) {
        simulation.runUntil((time.nanoTime() - beginning) / 1_000_000);
        LockSupport.parkNanos(LOOK_NANOS);
      }
    } catch (RuntimeException e) {
      log.error("the cluster does not live any more; start it anew", e);
    }
  }

  /** Ends it; the cluster stays as it is. */
  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
