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
 */
public record BrowserSettings(int maxStreams, Set<String> origins, Duration commentInterval) {
  public static final int DEFAULT_MAX_STREAMS = 500;

  public static final BrowserSettings DEFAULTS =
      new BrowserSettings(DEFAULT_MAX_STREAMS, Set.of(), Duration.ofSeconds(15));

  public BrowserSettings {
    origins = Set.copyOf(origins);
  }

  public BrowserSettings withOrigins(Set<String> others) {
    return new BrowserSettings(maxStreams, others, commentInterval);
  }

  public BrowserSettings withMaxStreams(int limit) {
    return new BrowserSettings(limit, origins, commentInterval);
  }
}
