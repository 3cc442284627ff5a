package io.watchgate.grpc;

import io.watchgate.error.ApiError;

/** Parsed request, or the error to answer if it could not be parsed. */
sealed interface RequestParseResult<T> {

  record Message<T>(T message) implements RequestParseResult<T> {}

  /** Request that is too large, or not a message of the contract. */
  record Unreadable<T>(ApiError refusal) implements RequestParseResult<T> {}
}
