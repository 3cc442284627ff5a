package io.watchgate.e2e.informers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Harness of the informer in a measured JVM, with the lines of {@link MeasuredProcess}.
 *
 * <p>If the heap is measured ({@link #HEAP_MEASURED}), it prints the heap size before the client,
 * and with a client that watches a namespace without pods, so that the memory of the client itself
 * is distinguished from the memory of each pod.
 */
final class MeasuredProgram {
  /** System property of a JVM whose heap is measured. */
  static final String HEAP_MEASURED = "heapMeasured";

  /** Namespace without pods. */
  private static final String EMPTY = "default";

  private static final long POLL_NANOS = Duration.ofMillis(1).toNanos();
  private static final int MOST_COLLECTIONS = 10;

  /** Reference that keeps the informer reachable. */
  private final BooleanSupplier isSynced;

  private final EventRecorder recorder;

  private MeasuredProgram(BooleanSupplier isSynced, EventRecorder recorder) {
    this.isSynced = isSynced;
    this.recorder = recorder;
  }

  /** Client that can watch pods. */
  interface Client {
    /**
     * Starts an informer of the pods of a namespace.
     *
     * @param namespace empty: all namespaces
     * @return function that returns whether the store is complete
     */
    BooleanSupplier follow(String namespace, EventRecorder recorder) throws Exception;
  }

  /** Factory of a client. */
  interface Maker {
    Client connect() throws Exception;
  }

  /**
   * Runs the harness; returns when stdin ends.
   *
   * @param expected number of pods
   */
  static void run(int expected, Maker maker) throws Exception {
    boolean isWeighed = Boolean.getBoolean(HEAP_MEASURED);
    if (isWeighed) {
      System.out.println("before " + heap());
    }
    Client client = maker.connect();
    if (isWeighed) {
      follow(client, EMPTY, 0); // the informer keeps running, referenced by the client
      System.out.println("without " + heap());
    }
    MeasuredProgram measured = follow(client, "", expected);
    System.out.println("synced");
    measured.answer();
    System.exit(0); // whatever threads the client has
  }

  private static MeasuredProgram follow(Client client, String namespace, int expected)
      throws Exception {
    EventRecorder recorder = new EventRecorder(expected);
    MeasuredProgram measured = new MeasuredProgram(client.follow(namespace, recorder), recorder);
    measured.awaitSynced();
    return measured;
  }

  private void awaitSynced() throws InterruptedException {
    recorder.awaitAll();
    while (!isSynced.getAsBoolean()) {
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private void answer() throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String asked = in.readLine(); asked != null; asked = in.readLine()) {
      switch (asked) {
        case "heap" -> System.out.println("heap " + heap());
        case "events" -> System.out.println("events " + recorder.events());
        case "again" -> System.out.println("again " + recorder.again());
        default -> throw new IllegalArgumentException(asked);
      }
    }
  }

  /** Returns the bytes in use, after garbage collections until the number no longer falls. */
  private static long heap() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < MOST_COLLECTIONS; i++) {
      System.gc();
      long now = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
      if (now > least * 0.999) {
        return Math.min(now, least);
      }
      least = now;
    }
    return least;
  }
}
