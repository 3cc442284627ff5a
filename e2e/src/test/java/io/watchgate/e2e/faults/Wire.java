package io.watchgate.e2e.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Carries connections to a server on this machine, and can be held so that what the server sends
 * stays unread in its socket, or is read ever so slowly, or cut. Knows nothing of what it carries.
 */
final class Wire implements AutoCloseable {
  /** Small, so that what the kernel takes off the server is soon full. */
  private static final int BUFFER = 16 << 10;

  private static final Duration DRIP = Duration.ofSeconds(1);

  private final int target;
  private final ServerSocket listener;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicInteger dripped = new AtomicInteger();
  private Flow flow = Flow.FREE;

  /** How what the server sends is read. */
  enum Flow {
    FREE,
    /** Not at all. */
    HELD,
    /** One byte a second. */
    DRIPPING
  }

  private Wire(int target) throws IOException {
    this.target = target;
    this.listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
  }

  static Wire to(int port) {
    try {
      Wire wire = new Wire(port);
      Thread.ofVirtual().name("wire").start(wire::accept);
      return wire;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int port() {
    return listener.getLocalPort();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        sockets.add(client);
        Socket server = new Socket();
        sockets.add(server);
        server.setReceiveBufferSize(BUFFER);
        server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
        Thread.ofVirtual().start(() -> carry(client, server));
        Thread.ofVirtual().start(() -> carry(server, client));
      } catch (IOException e) {
        // Closed, or the server is away: whoever connected finds out.
        close(sockets);
      }
    }
  }

  private void carry(Socket from, Socket to) {
    byte[] buffer = new byte[BUFFER];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      boolean fromServer = from.getPort() == target;
      int most = BUFFER;
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer, 0, most)) {
        Flow as = fromServer ? awaitFlow() : Flow.FREE;
        int written = 0;
        while (as == Flow.DRIPPING && written < n) {
          out.write(buffer, written++, 1);
          dripped.incrementAndGet();
          Thread.sleep(DRIP);
          as = awaitFlow();
        }
        out.write(buffer, written, n - written);
        most = as == Flow.DRIPPING ? 1 : BUFFER;
      }
    } catch (IOException | InterruptedException e) {
      // One side is gone, so the other goes.
    }
  }

  /** How many bytes have passed one by one. */
  int dripped() {
    return dripped.get();
  }

  /** Returns when something may pass, and whether only a byte. */
  private synchronized Flow awaitFlow() throws InterruptedException {
    while (flow == Flow.HELD) {
      wait();
    }
    return flow;
  }

  /** From now on it flows like that. */
  synchronized void flow(Flow next) {
    flow = next;
    notifyAll();
  }

  /** Cuts every connection there is; new ones are carried. */
  void cut() {
    close(sockets);
  }

  private static void close(Set<Socket> sockets) {
    sockets.removeIf(
        socket -> {
          try {
            socket.close();
            return true;
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  @Override
  public void close() {
    flow(Flow.FREE);
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    cut();
  }
}
