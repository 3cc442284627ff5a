package io.watchgate.sandbox.churn;

import io.watchgate.cache.TimeSource;
import io.watchgate.http.ResourceCatalog;
import io.watchgate.http.WriteBackend;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Simulation of a running cluster on its own thread, until it is closed. Thread-safe. */
public final class ClusterSimulation implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ClusterSimulation.class);

  /**
   * Virtual time that is simulated at once on start, so that the first client finds a running
   * cluster.
   */
  private static final long WARMUP_MILLIS = 20_000;

  /** Interval of the checks for changes by other clients. */
  private static final long POLL_NANOS = 50_000_000;

  private final Thread thread;

  private ClusterSimulation(
      ResourceCatalog catalog, WriteBackend writes, ChurnSettings settings, TimeSource time) {
    thread =
        Thread.ofPlatform()
            .daemon()
            .name("churn")
            .start(() -> run(catalog, writes, settings, time));
  }

  /**
   * Creates the cluster and starts its simulation on a new thread.
   *
   * @param catalog serves all types that the simulation uses, without objects
   */
  public static ClusterSimulation start(
      ResourceCatalog catalog, WriteBackend writes, ChurnSettings settings, TimeSource time) {
    return new ClusterSimulation(catalog, writes, settings, time);
  }

  private static void run(
      ResourceCatalog catalog, WriteBackend writes, ChurnSettings settings, TimeSource time) {
    try (Simulation simulation = new Simulation(catalog, writes, settings, time)) {
      simulation.runUntil(WARMUP_MILLIS);
      long beginning = time.nanoTime() - WARMUP_MILLIS * 1_000_000;
      while (!Thread.currentThread().isInterrupted()) {
        simulation.runUntil((time.nanoTime() - beginning) / 1_000_000);
        LockSupport.parkNanos(POLL_NANOS);
      }
    } catch (RuntimeException e) {
      log.error("the cluster simulation has stopped; restart the sandbox", e);
    }
  }

  /** Stops the simulation; the objects stay as they are. */
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
