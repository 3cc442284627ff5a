package io.watchgate.browser;

import java.time.Duration;
import java.util.Set;

/**
 * Settings of access from browsers.
 *
 * @param maxStreams maximum number of streams of browsers at a time
 * @param origins origins of other sites whose pages may read, as {@code https://host:port}
 * @param commentInterval time between comments of an event stream, which keep proxies from closing
 *     it; many close a connection without a byte for 30 s or 60 s
 * @param bodyTimeout longest time in which the body of a request by gRPC-Web arrives, at most 64
 *     KiB; after it the connection is closed
 */
public record BrowserSettings(
    int maxStreams, Set<String> origins, Duration commentInterval, Duration bodyTimeout) {
  public static final int DEFAULT_MAX_STREAMS = 500;

  public static final BrowserSettings DEFAULTS =
      new BrowserSettings(
          DEFAULT_MAX_STREAMS,
          Set.of(),
          /* commentInterval= */ Duration.ofSeconds(15),
          /* bodyTimeout= */ Duration.ofSeconds(10));

  public BrowserSettings {
    origins = Set.copyOf(origins);
  }

  public BrowserSettings withOrigins(Set<String> others) {
    return new BrowserSettings(maxStreams, others, commentInterval, bodyTimeout);
  }

  public BrowserSettings withMaxStreams(int limit) {
    return new BrowserSettings(limit, origins, commentInterval, bodyTimeout);
  }

  public BrowserSettings withBodyTimeout(Duration timeout) {
    return new BrowserSettings(maxStreams, origins, commentInterval, timeout);
  }
}
