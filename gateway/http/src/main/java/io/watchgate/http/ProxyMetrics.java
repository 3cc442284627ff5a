package io.watchgate.http;

/** Counters of a caching proxy. Implemented by {@code ops}. Thread-safe. */
public interface ProxyMetrics {
  /**
   * Counts a request.
   *
   * @param verb get, list, watch, or other
   * @param reason why the answer is the apiserver's; empty for other sources
   */
  void answered(String verb, AnswerSource source, String reason);

  /** Changes the number of requests that are being relayed. */
  void relaysChanged(int by);

  /**
   * Changes the number of bytes of {@link WatchFrameBatch}es that connections have not taken yet.
   */
  void unsentBytesChanged(int by);
}
