package io.watchgate.kube;

import java.io.IOException;
import java.net.InetAddress;
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
final class RawSockets extends SocketFactory {
  /** Probes without answer after which a connection is given up. */
  private static final int PROBES = 2;

  private final Opener opener;
  private final int seconds;

  /**
   * Makes sockets.
   *
   * @param interval of silence before the first probe, and between probes; in whole seconds from 1
   */
  RawSockets(Opener opener, Duration interval) {
    this.opener = opener;
    this.seconds = Math.clamp(interval.toSeconds(), 1, Short.MAX_VALUE);
  }

  /** Makes a socket that is not connected. */
  interface Opener {
    Socket open() throws IOException;
  }

  /** The only one that OkHttp calls. */
  @Override
  public Socket createSocket() throws IOException {
    Socket socket = opener.open();
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
