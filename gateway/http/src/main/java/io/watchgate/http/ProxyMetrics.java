package io.watchgate.http;

/** Counters of a caching proxy. Implemented by {@code ops}. Thread-safe. */
public interface ProxyMetrics {
  /** Origin of an answer. */
  enum Source {
    /** A cache, at any version. */
    CACHE,
    /** A cache whose state was proven current after the request arrived. */
    PROVEN,
    APISERVER,
    /** The gateway itself, which refused the request. */
    GATEWAY
  }

  /**
   * Counts a request.
   *
   * @param verb get, list, watch, or other
   * @param reason why the answer is the apiserver's; empty for other sources
   */
  void answered(String verb, Source source, String reason);

  /** Changes the number of requests that are being relayed. */
  void relaysChanged(int by);

  /** Changes the number of bytes of {@link WriteBatch}es that connections have not taken yet. */
  void unsentBytesChanged(int by);
}
