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
 * The sockets below TLS and HTTP. The kernel probes the silence of each: HTTP/2 has its pings, but
 * on HTTP/1.1 nothing else would tell, before its asked duration is over, that a quiet watch of
 * events is dead.
 */
final class KeepAliveSocketFactory extends SocketFactory {
  /** Probes without answer after which a connection is given up. */
  private static final int PROBES = 2;

  private final Opener opener;
  private final int seconds;
  private final ReceiveWindow window;

  /**
   * Makes sockets.
   *
   * @param interval of silence before the first probe, and between probes; in whole seconds from 1
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

  /** The same with a limit on what they receive. */
  KeepAliveSocketFactory within(ReceiveWindow limit) {
    return new KeepAliveSocketFactory(opener, seconds, limit);
  }

  /** Makes a socket that is not connected. */
  interface Opener {
    Socket open(ReceiveWindow window) throws IOException;
  }

  /** Socket that receives within a window, made for no proxy of the JVM's. */
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

  /** The only one that OkHttp calls. */
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
