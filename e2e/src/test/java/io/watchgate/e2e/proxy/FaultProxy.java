package io.watchgate.e2e.proxy;

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
import java.util.concurrent.atomic.AtomicInteger;

/**
 * TCP proxy that can inject faults. It does not interpret the data, so it cuts anywhere: inside an
 * object, a frame, a TLS record. Thread-safe.
 */
public final class FaultProxy implements AutoCloseable {
  private static final int BUFFER = 16 << 10;
  private static final long DELAY_MILLIS = 100;

  /** Limit of bytes that are passed singly, so that a large answer does not take minutes. */
  private static final int BYTE_BY_BYTE = 2_000;

  private final ServerSocket listener;
  private volatile InetSocketAddress target;
  private final Set<Socket> open = new HashSet<>();
  private Manner manner = Manner.PASSING;
  private final AtomicInteger accepted = new AtomicInteger();

  /** Way in which bytes are passed on. */
  public enum Manner {
    /** Immediately. */
    PASSING,
    /** Not at all; connections are reset, and so are new ones. */
    CUT,
    /** Not at all, without an error, as over a broken link. */
    SILENT,
    /** After a moment. */
    DELAYED,
    /** The first bytes of each piece one at a time. */
    BYTE_BY_BYTE
  }

  /** Listens on a local port. */
  public FaultProxy(URI target) throws IOException {
    this.target = address(target);
    this.listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().name("proxy").start(this::accept);
  }

  private static InetSocketAddress address(URI target) {
    return new InetSocketAddress(target.getHost(), target.getPort());
  }

  /** Sets the target of new connections. */
  public void setTarget(URI elsewhere) {
    target = address(elsewhere);
  }

  /** Returns the local port. */
  public int port() {
    return listener.getLocalPort();
  }

  /** Returns the local address. */
  public URI uri() {
    return URI.create("https://127.0.0.1:" + listener.getLocalPort());
  }

  /** Returns the number of connections so far. */
  public int accepted() {
    return accepted.get();
  }

  /** Sets the manner, for open connections as well. */
  public synchronized void pass(Manner next) {
    manner = next;
    if (next == Manner.CUT) {
      reset();
    }
    notifyAll();
  }

  /** Resets all connections; new ones are accepted as before. */
  public synchronized void reset() {
    open.forEach(FaultProxy::reset);
    open.clear();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    pass(Manner.CUT);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        accepted.incrementAndGet();
        Thread.ofVirtual().start(() -> connect(client));
      } catch (IOException e) {
        // The proxy was closed, or the connection ended before it was accepted.
      }
    }
  }

  private void connect(Socket client) {
    Socket server = new Socket();
    synchronized (this) {
      if (manner == Manner.CUT) {
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

  private void pass(Socket from, Socket to) {
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      byte[] buffer = new byte[BUFFER];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        write(buffer, read, out);
      }
    } catch (IOException e) {
      // Reset, or either side has ended; the other side is closed below.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      reset(from);
      reset(to);
      forget(from, to);
    }
  }

  private void write(byte[] buffer, int length, OutputStream out)
      throws IOException, InterruptedException {
    int written = 0;
    switch (awaitManner()) {
      case PASSING, CUT, SILENT -> {}
      case DELAYED -> Thread.sleep(DELAY_MILLIS);
      case BYTE_BY_BYTE -> {
        while (written < Math.min(length, BYTE_BY_BYTE)) {
          out.write(buffer, written++, 1);
          out.flush();
        }
      }
    }
    out.write(buffer, written, length - written);
    out.flush();
  }

  /** Waits until silence is over, with the data received so far. */
  private synchronized Manner awaitManner() throws InterruptedException {
    while (manner == Manner.SILENT) {
      wait();
    }
    return manner;
  }

  private synchronized void forget(Socket from, Socket to) {
    open.remove(from);
    open.remove(to);
  }

  private static void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException e) {
      // The connection is closed already.
    }
  }
}
