package io.watchgate.client;

/** What a client does after an error, as the gateway (or, without it, the gRPC code) says. */
public enum ErrorAction {
  /** Open the next stream with the last token. */
  RESUME,
  /** Open the next stream without a token: it begins with a snapshot. */
  RESTART,
  /** The same call would fail again: give up and tell a person. */
  STOP
}
