package io.watchgate.kube;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.time.Duration;
import javax.net.SocketFactory;
import jdk.net.ExtendedSocketOptions;

/**
 * Factory of the sockets below TLS and HTTP, with TCP keepalive, by the interval of {@link
 * KubeSettings.Timeouts#ping}. HTTP/2 has pings. On HTTP/1.1 a dead connection of a quiet watch of
 * events would otherwise be noticed only at the end of its requested duration.
 */
final class KeepAliveSocketFactory extends SocketFactory {
  /** Probes without answer after which the kernel closes a connection. */
  private static final int PROBES = 2;

  private final Opener opener;
  private final int seconds;
  private final ReceiveWindow window;

  /**
   * Creates a factory.
   *
   * @param interval idle time before the first probe, and between probes; in full seconds from 1
   */
  KeepAliveSocketFactory(Opener opener, Duration interval) {
    this(
        opener,
        Math.clamp(interval.toSeconds(), 1, Short.MAX_VALUE),
        new ReceiveWindow(Long.MAX_VALUE));
  }

  private KeepAliveSocketFactory(Opener opener, int seconds, ReceiveWindow window) {
    this.opener = opener;
    this.seconds = seconds;
    this.window = window;
  }

  /** Returns a factory with equal settings whose sockets share {@code limit}. */
  KeepAliveSocketFactory within(ReceiveWindow limit) {
    return new KeepAliveSocketFactory(opener, seconds, limit);
  }

  /** Constructor of unconnected sockets. */
  interface Opener {
    Socket open(ReceiveWindow window) throws IOException;
  }

  /** Socket whose reads are limited by a receive window, and which ignores the JVM's proxies. */
  static class Windowed extends Socket {
    private final ReceiveWindow window;

    Windowed(ReceiveWindow window) {
      super(Proxy.NO_PROXY);
      this.window = window;
    }

    @Override
    public InputStream getInputStream() throws IOException {
      return window.socket(super.getInputStream());
    }
  }

  /** Returns an unconnected socket; the only method that OkHttp calls. */
  @Override
  public Socket createSocket() throws IOException {
    Socket socket = opener.open(window);
    set(socket, StandardSocketOptions.SO_KEEPALIVE, true);
    set(socket, ExtendedSocketOptions.TCP_KEEPIDLE, seconds);
    set(socket, ExtendedSocketOptions.TCP_KEEPINTERVAL, seconds);
    set(socket, ExtendedSocketOptions.TCP_KEEPCOUNT, PROBES);
    return socket;
  }

  private static <T> void set(Socket socket, SocketOption<T> option, T value) throws IOException {
    if (socket.supportedOptions().contains(option)) {
      socket.setOption(option, value);
    }
  }

  @Override
  public Socket createSocket(String host, int port) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress local, int localPort) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Socket createSocket(InetAddress host, int port) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
    throw new UnsupportedOperationException();
  }
}
