package io.watchgate.kube;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * HTTP client for a server without TLS. It uses HTTP/2 if the server speaks it, for the sake of its
 * pings, else HTTP/1.1. The protocol is probed before the first request, and again after a
 * connection failed, since another server may have replaced the first. Thread-safe.
 */
final class PlaintextHttpClient {
  private final OkHttpClient http1;
  private final OkHttpClient http2;
  private final HttpUrl server;
  private final Duration limit;
  private volatile @Nullable OkHttpClient known;

  PlaintextHttpClient(OkHttpClient base, HttpUrl server, Duration limit) {
    this.http1 = base.newBuilder().protocols(List.of(Protocol.HTTP_1_1)).build();
    this.http2 = base.newBuilder().protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE)).build();
    this.server = server;
    this.limit = limit;
  }

  OkHttpClient forRequest() {
    OkHttpClient client = known;
    if (client == null) {
      Optional<Boolean> speaksHttp2 = Http2Probe.probe(server, limit);
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
}
