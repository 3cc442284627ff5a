package io.watchgate.kube;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import okhttp3.HttpUrl;

/**
 * Probe whether a server without TLS speaks HTTP/2. It sends the connection preface for known
 * HTTP/2 servers (RFC 9113, section 3.3), to which such a server must answer with its settings. A
 * server that only speaks HTTP/1.1 answers with an error, or not at all. OkHttp does not fall back
 * by itself, and the way its call fails at such a server depends on the server.
 */
final class Http2Probe {
  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0".getBytes(StandardCharsets.ISO_8859_1);
  private static final int SETTINGS = 4;

  private Http2Probe() {}

  /**
   * Returns whether the server speaks HTTP/2; empty if nothing listens there.
   *
   * @param limit timeout for connecting, and again for the answer
   */
  static Optional<Boolean> probe(HttpUrl server, Duration limit) {
    int millis = Math.clamp(limit.toMillis(), 1, Integer.MAX_VALUE);
    try {
      for (InetAddress address : InetAddress.getAllByName(server.host())) {
        try (Socket socket = new Socket(Proxy.NO_PROXY)) {
          socket.connect(new InetSocketAddress(address, server.port()), millis);
          socket.setSoTimeout(millis);
          return Optional.of(answersWithSettings(socket));
        } catch (IOException e) {
          // Then perhaps another address; if none answers, the request will fail with the reason.
        }
      }
    } catch (IOException e) {
      // No such host.
    }
    return Optional.empty();
  }

  private static boolean answersWithSettings(Socket socket) {
    try {
      socket.getOutputStream().write(PREFACE);
      InputStream in = socket.getInputStream();
      byte[] frame = in.readNBytes(9); // length (3), type, flags, stream (4)
      if (frame.length < 9) {
        return false;
      }
      int length = (frame[0] & 0xff) << 16 | (frame[1] & 0xff) << 8 | (frame[2] & 0xff);
      return length % 6 == 0
          && frame[3] == SETTINGS
          && (frame[4] | frame[5] | frame[6] | frame[7] | frame[8]) == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
