package io.watchgate.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Shutdown hook that ends the work early on Ctrl-C and SIGTERM, and keeps the JVM alive until its
 * result is printed and the hook is closed. Thread-safe.
 */
final class ShutdownHook implements AutoCloseable {
  private static final long TIMEOUT_SECONDS = 30;

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

  /** Removes a hook, unless the process is ending. */
  static void remove(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The hook is already running.
    }
  }
}
