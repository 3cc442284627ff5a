package io.watchgate.grpc;

import io.watchgate.fanout.ApiError;

/** A request as it came off the wire. */
sealed interface Received<T> {

  record Message<T>(T message) implements Received<T> {}

  /** Too large, or no message of the contract: there is nothing but the answer. */
  record Unreadable<T>(ApiError refusal) implements Received<T> {}
}
