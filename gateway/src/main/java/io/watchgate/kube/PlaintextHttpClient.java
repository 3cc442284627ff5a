package io.watchgate.kube;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP client for a server without TLS: of HTTP/2 where that is spoken, for the sake of its
 * pings, else of HTTP/1.1. Found out before the first request, and anew after a connection failed,
 * since then another server may be there. Thread-safe.
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
      Optional<Boolean> speaksHttp2 = Http2Probe.ask(server, limit);
      client = speaksHttp2.orElse(false) ? http2 : http1;
      if (speaksHttp2.isPresent()) {
        known = client;
      }
    }
    return client;
  }

  /** A connection could not be made, or broke. */
  void failed() {
    known = null;
  }
}
