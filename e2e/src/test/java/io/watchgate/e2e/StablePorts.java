package io.watchgate.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Random;

/**
 * Free local ports that stay free until they are used: systems choose higher ports for sockets
 * without a port of their own. The test apiserver chooses from another range.
 */
public final class StablePorts {
  private static final int FIRST = 20_000;
  private static final int END = 26_000;
  private static final int TRIES = 100;
  private static final Random RANDOM = new Random();

  private StablePorts() {}

  /** Returns a port, probably not the same as any before. */
  public static int free() {
    IOException last = new IOException("no port was tried");
    for (int i = 0; i < TRIES; i++) {
      int port = RANDOM.nextInt(FIRST, END);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException e) {
        last = e;
      }
    }
    throw new UncheckedIOException(last);
  }
}
