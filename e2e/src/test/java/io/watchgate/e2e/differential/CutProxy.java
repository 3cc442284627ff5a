package io.watchgate.e2e.differential;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.HashSet;
import java.util.Set;

/** Passes TCP connections on, until they are cut; while it is cut, new ones end at once. */
final class CutProxy implements AutoCloseable {
  private final ServerSocket listener;
  private final InetSocketAddress target;
  private final Set<Socket> open = new HashSet<>();
  private boolean cut;

  CutProxy(URI target) throws IOException {
    this.target = new InetSocketAddress(target.getHost(), target.getPort());
    this.listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().name("proxy").start(this::accept);
  }

  URI uri() {
    return URI.create("https://127.0.0.1:" + listener.getLocalPort());
  }

  /** Resets all connections. */
  synchronized void cut() {
    cut = true;
    open.forEach(CutProxy::reset);
    open.clear();
  }

  synchronized void mend() {
    cut = false;
  }

  @Override
  public void close() throws IOException {
    listener.close();
    cut();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        Thread.ofVirtual().start(() -> connect(client));
      } catch (IOException e) {
        // Closed, or a connection that ended before it was taken.
      }
    }
  }

  private void connect(Socket client) {
    Socket server = new Socket();
    synchronized (this) {
      if (cut) {
        reset(client);
        return;
      }
      open.add(client);
      open.add(server);
    }
    try {
      server.connect(target);
    } catch (IOException e) {
      reset(client);
      return;
    }
    Thread.ofVirtual().start(() -> pass(client, server));
    pass(server, client);
  }

  private static void pass(Socket from, Socket to) {
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      in.transferTo(out);
    } catch (IOException e) {
      // Cut, or either side has ended; the other is told below.
    } finally {
      reset(from);
      reset(to);
    }
  }

  private static void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException e) {
      // It is gone already.
    }
  }
}
