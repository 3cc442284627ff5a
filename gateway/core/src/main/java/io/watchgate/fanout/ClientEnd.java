package io.watchgate.fanout;

import java.util.Locale;

/** Way in which a client's side of a stream ended if the gateway sent no reason. */
public enum ClientEnd {
  /** The client cancelled the stream, or its deadline passed. */
  CLIENT,
  /** The connection was closed, or broke. */
  CONNECTION,
  /**
   * The connection did not answer a keepalive ping: the client, its machine or the network has
   * stopped.
   */
  KEEPALIVE,
  /**
   * The client read nothing, so the gateway did not read its connection either, nor an answer to a
   * keepalive ping.
   */
  UNREAD;

  /** Value for metrics, pages and the audit log if neither side ended the stream: a failure. */
  public static final String INTERNAL = "internal";

  /** Returns the value for metrics, pages and the audit log. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
