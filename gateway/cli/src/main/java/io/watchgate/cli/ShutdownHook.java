package io.watchgate.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;

/**
 * Shutdown hook that ends the work early on Ctrl-C and SIGTERM, and keeps the JVM alive until its
 * result is printed and the hook is closed. Thread-safe.
 */
final class ShutdownHook implements AutoCloseable {
  private static final long TIMEOUT_SECONDS = 30;

  private static final long POLL_MILLIS = 10;

  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread hook;

  /**
   * Registers the hook.
   *
   * @param stop requests the end of the work, and returns at once
   */
  ShutdownHook(Runnable stop) {
    hook =
        new Thread(
            () -> {
              stop.run();
              await();
            },
            "stop");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  private void await() {
    try {
      if (!closed.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        System.err.println("watchgate: it did not end within " + TIMEOUT_SECONDS + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    closed.countDown();
    remove(hook);
  }

  /**
   * Ends the JVM with exit code 0, from a hook: termination by a signal is success, and the JVM
   * would return 128 plus the number of the signal. Recordings that are dumped on exit are written
   * first. Another hook writes them, and halting would leave an empty file.
   */
  static void haltWithSuccess() {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
    try {
      while (isDumping() && System.nanoTime() - end < 0) {
        Thread.sleep(POLL_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(0);
  }

  /** Returns whether a recording is not written yet. The hook of the JVM closes it then. */
  private static boolean isDumping() {
    return FlightRecorder.isInitialized()
        && FlightRecorder.getFlightRecorder().getRecordings().stream()
            .anyMatch(Recording::getDumpOnExit);
  }

  /** Removes a hook, unless the process is ending. */
  static void remove(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The hook is already running.
    }
  }
}
