package io.watchgate.client;

/**
 * Reaction of a client to an error, as requested by the gateway or, without it, derived from the
 * gRPC code.
 */
public enum ErrorAction {
  /** Open the next stream with the last token. */
  RESUME,
  /** Open the next stream without a token, so that it begins with a snapshot. */
  RESTART,
  /** Stop: the same call would fail again. Report the error to a person. */
  STOP
}
