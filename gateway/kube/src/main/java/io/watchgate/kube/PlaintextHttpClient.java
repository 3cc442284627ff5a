package io.watchgate.kube;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * HTTP client for a server without TLS. It uses HTTP/2 if the server speaks it, as a sandbox does,
 * because only HTTP/2 has the pings that detect a dead connection below a silent watch; else
 * HTTP/1.1, as for {@code kubectl proxy}. The protocol is probed before the first request, and
 * again after a connection failed, since another server may have replaced the first. OkHttp does
 * not fall back by itself, and the way its call fails at a server that only speaks HTTP/1.1 depends
 * on the server. Thread-safe.
 */
final class PlaintextHttpClient {
  /** Connection preface for known HTTP/2 servers (RFC 9113, section 3.3), with empty settings. */
  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0".getBytes(StandardCharsets.ISO_8859_1);

  private static final int SETTINGS = 4;

  private final OkHttpClient http1;
  private final OkHttpClient http2;
  private final HttpUrl server;
  private final int timeoutMillis;
  private volatile @Nullable OkHttpClient known;

  /**
   * @param limit timeout of the probe for connecting, and again for the answer
   */
  PlaintextHttpClient(OkHttpClient base, HttpUrl server, Duration limit) {
    this.http1 = base.newBuilder().protocols(List.of(Protocol.HTTP_1_1)).build();
    this.http2 = base.newBuilder().protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE)).build();
    this.server = server;
    this.timeoutMillis = Math.clamp(limit.toMillis(), 1, Integer.MAX_VALUE);
  }

  OkHttpClient forRequest() {
    OkHttpClient client = known;
    if (client == null) {
      Optional<Boolean> speaksHttp2 = probe();
      client = speaksHttp2.orElse(false) ? http2 : http1;
      if (speaksHttp2.isPresent()) {
        known = client;
      }
    }
    return client;
  }

  /** Reports that a connection could not be made, or broke. */
  void onConnectionFailed() {
    known = null;
  }

  /** Returns whether the server speaks HTTP/2; empty if nothing listens there. */
  private Optional<Boolean> probe() {
    try {
      for (InetAddress address : InetAddress.getAllByName(server.host())) {
        try (Socket socket = new Socket(Proxy.NO_PROXY)) {
          socket.connect(new InetSocketAddress(address, server.port()), timeoutMillis);
          socket.setSoTimeout(timeoutMillis);
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

  /**
   * Sends the preface. An HTTP/2 server must answer with its settings; a server that only speaks
   * HTTP/1.1 answers with an error, or not at all.
   */
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
