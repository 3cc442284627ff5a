package io.watchgate.kube;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Proxy between a client and a server that can be switched to drop all bytes without notice to
 * either side, as a firewall does that lost a connection's state.
 */
final class BlackHole implements AutoCloseable {
  private volatile int target;
  private final ServerSocket listener;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private volatile boolean swallowing;

  BlackHole(int target) throws IOException {
    this(target, new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
  }

  /** Listens on that socket, which may speak TLS. */
  BlackHole(int target, ServerSocket listener) {
    this.target = target;
    this.listener = listener;
    Thread.startVirtualThread(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  void swallow() {
    swallowing = true;
  }

  /** Closes all connections, and leads new ones to another server. */
  void turn(int other) throws IOException {
    target = other;
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        sockets.addAll(List.of(client, server));
        Thread.startVirtualThread(() -> pass(client, server));
        Thread.startVirtualThread(() -> pass(server, client));
      }
    } catch (IOException e) {
      // The listener was closed, and so are its connections.
    }
  }

  private void pass(Socket from, Socket to) {
    byte[] buffer = new byte[1 << 14];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        if (!swallowing) {
          out.write(buffer, 0, n);
        }
      }
    } catch (IOException e) {
      // One side was closed, and so is the other now.
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
