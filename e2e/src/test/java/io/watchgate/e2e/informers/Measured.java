package io.watchgate.e2e.informers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * What runs in a measured JVM beside the informer: says on stdout what its heap was before, and
 * when it is synced; then answers what is asked on stdin, and ends with it.
 *
 * <p>One whose heap is weighed ({@link #WEIGHED}) follows a namespace without pods first, so that
 * what the client itself needs is told apart from what it needs for each pod.
 */
final class Measured {
  /** The property of a JVM whose heap is weighed. */
  static final String WEIGHED = "weighed";

  /** Has no pods. */
  private static final String EMPTY = "default";

  private static final long POLL_NANOS = Duration.ofMillis(1).toNanos();
  private static final int MOST_COLLECTIONS = 10;

  /** What the informer is reached by, so that it lives as long as this. */
  private final BooleanSupplier isSynced;

  private final Told told;

  private Measured(BooleanSupplier isSynced, Told told) {
    this.isSynced = isSynced;
    this.told = told;
  }

  /** A client, which follows pods. */
  interface Client {
    /**
     * Begins to follow those of a namespace.
     *
     * @param namespace empty: of all
     * @return what says whether the store is complete
     */
    BooleanSupplier follow(String namespace, Told told) throws Exception;
  }

  /** Makes a client. */
  interface Maker {
    Client connect() throws Exception;
  }

  /**
   * Returns when stdin ends.
   *
   * @param expected so many pods are there
   */
  static void run(int expected, Maker maker) throws Exception {
    System.out.println("before " + heap());
    Client client = maker.connect();
    if (Boolean.getBoolean(WEIGHED)) {
      follow(client, EMPTY, 0); // goes on: the client has it
      System.out.println("without " + heap());
    }
    Measured measured = follow(client, "", expected);
    System.out.println("synced");
    measured.answer();
    System.exit(0); // whatever threads the client has
  }

  private static Measured follow(Client client, String namespace, int expected) throws Exception {
    Told told = new Told(expected);
    Measured measured = new Measured(client.follow(namespace, told), told);
    measured.awaitSynced();
    return measured;
  }

  private void awaitSynced() throws InterruptedException {
    told.awaitAll();
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
        case "events" -> System.out.println("events " + told.events());
        case "again" -> System.out.println("again " + told.again());
        default -> throw new IllegalArgumentException(asked);
      }
    }
  }

  /** Bytes in use, collected until nothing more is found. */
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
