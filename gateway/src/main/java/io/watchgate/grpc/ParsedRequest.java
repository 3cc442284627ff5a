package io.watchgate.grpc;

import io.watchgate.fanout.ApiError;

/** A request as it came off the wire. */
sealed interface ParsedRequest<T> {

  record Message<T>(T message) implements ParsedRequest<T> {}

  /** Too large, or no message of the contract: there is nothing but the answer. */
  record Unreadable<T>(ApiError refusal) implements ParsedRequest<T> {}
}
