package io.watchgate.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * On Ctrl-C and SIGTERM ends the work early, and has the JVM wait for what there is to say of it
 * until it is closed. Thread-safe.
 */
final class ShutdownHook implements AutoCloseable {
  private static final long SECONDS = 30;

  private final CountDownLatch said = new CountDownLatch(1);
  private final Thread hook;

  /**
   * From now on.
   *
   * @param stop ends the work soon, and returns at once
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
      if (!said.await(SECONDS, TimeUnit.SECONDS)) {
        System.err.println("watchgate: it did not end within " + SECONDS + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    said.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // It is running.
    }
  }
}
