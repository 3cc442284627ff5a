package io.watchgate.fanout;

import java.util.Locale;

/** Way in which a client's side of a stream ended, where the gateway sent no reason. */
public enum ClientEnd {
  /** It cancelled the stream, or its deadline passed. */
  CLIENT,
  /** Its connection was closed, or broke. */
  CONNECTION,
  /** It did not answer a keepalive ping: it, its machine or the network in between stands still. */
  KEEPALIVE;

  /** For metrics and the audit log. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
