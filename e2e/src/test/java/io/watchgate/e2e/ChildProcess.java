package io.watchgate.e2e;

import java.io.IOException;

/**
 * Start of processes that end when this JVM exits. Otherwise a build that is interrupted leaves
 * them behind, with their ports and their load. Only a process that ends with its stdin also ends
 * if this JVM is killed by SIGKILL.
 */
public final class ChildProcess {
  private ChildProcess() {}

  /** Starts a process that is killed when this JVM exits. */
  public static Process start(ProcessBuilder builder) throws IOException {
    Process process = builder.start();
    Thread hook =
        new Thread(process::destroyForcibly, "end " + String.join(" ", builder.command()));
    Runtime.getRuntime().addShutdownHook(hook);
    var _ = process.onExit().thenRun(() -> remove(hook));
    return process;
  }

  private static void remove(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is shutting down, and the hook has run or will have no effect.
    }
  }
}
