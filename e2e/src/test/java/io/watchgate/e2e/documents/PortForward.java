package io.watchgate.e2e.documents;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** TCP forwarder on 127.0.0.1, as {@code kubectl port-forward} is. */
final class PortForward implements AutoCloseable {
  private final ServerSocket server;
  private final int target;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  private PortForward(ServerSocket server, int target) {
    this.server = server;
    this.target = target;
  }

  /**
   * Listens at an address.
   *
   * @param target port to forward to
   * @param address {@code 127.0.0.1:PORT}
   */
  static PortForward to(int target, String address) throws IOException {
    int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
    PortForward forward =
        new PortForward(new ServerSocket(port, 50, InetAddress.getLoopbackAddress()), target);
    Thread.ofVirtual().start(forward::accept);
    return forward;
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        Socket gateway = new Socket(InetAddress.getLoopbackAddress(), target);
        sockets.addAll(List.of(client, gateway));
        Thread.ofVirtual().start(() -> copy(client, gateway));
        Thread.ofVirtual().start(() -> copy(gateway, client));
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  private static void copy(Socket from, Socket to) {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException e) {
      // The other direction has ended, and closed both.
    }
  }

  /** Ends as a port-forward does whose pod has ended. */
  void stop() {
    close();
  }

  @Override
  public void close() {
    try {
      server.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
