package io.watchgate.http;

/**
 * Origin of an answer over the Kubernetes API, as the header {@link ApiExchange#SOURCE} names it.
 */
public enum AnswerSource {
  /** A cache, at any version. */
  CACHE,
  /** A cache whose state was proven current after the request arrived. */
  PROVEN,
  APISERVER,
  /** The gateway itself, which refused the request or has nothing to send. */
  GATEWAY
}
