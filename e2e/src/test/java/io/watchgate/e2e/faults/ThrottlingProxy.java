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
 * TCP proxy to a local server. It can stop reading the server's data, read it one byte per second,
 * or cut the connections. It does not interpret the data.
 */
final class ThrottlingProxy implements AutoCloseable {
  /** Small, so that the kernel's buffer is soon full. */
  private static final int BUFFER = 16 << 10;

  private static final Duration DRIP = Duration.ofSeconds(1);

  private final int target;
  private final ServerSocket listener;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicInteger dripped = new AtomicInteger();
  private Flow flow = Flow.FREE;

  /** Speed at which the server's data is read. */
  enum Flow {
    FREE,
    /** Nothing is read. */
    HELD,
    /** One byte per second. */
    DRIPPING
  }

  private ThrottlingProxy(int target) throws IOException {
    this.target = target;
    this.listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
  }

  static ThrottlingProxy to(int port) {
    try {
      ThrottlingProxy proxy = new ThrottlingProxy(port);
      Thread.ofVirtual().name("proxy").start(proxy::accept);
      return proxy;
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
        // Closed, or the server is unreachable; the client detects it.
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
      // One side has closed, so the other is closed.
    }
  }

  /** Returns the number of bytes that passed one by one. */
  int dripped() {
    return dripped.get();
  }

  /** Waits until data may pass, and returns whether only one byte may. */
  private synchronized Flow awaitFlow() throws InterruptedException {
    while (flow == Flow.HELD) {
      wait();
    }
    return flow;
  }

  /** Sets the speed. */
  synchronized void flow(Flow next) {
    flow = next;
    notifyAll();
  }

  /** Cuts all current connections; new connections are accepted. */
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
