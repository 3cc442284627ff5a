package io.watchgate.http;

import java.util.Locale;

/** Reason why a request is passed on to the apiserver instead of being answered from a cache. */
public enum RelayReason {
  /** The path is not that of a resource: discovery, OpenAPI, version, health. */
  OTHER_PATH,
  /** The method is HEAD, or that of a write where writes are relayed. */
  METHOD,
  /** A subresource of an object, such as its status, where writes are relayed. */
  SUBRESOURCE,
  /** A parameter that the gateway does not know, or a value that only the apiserver can judge. */
  PARAMETERS,
  /** A format that the gateway does not make: tables, YAML, protobuf only. */
  FORMAT,
  /** The type cannot be watched, is not served by this gateway, or is not known. */
  TYPE,
  /** A get without a version: the apiserver reads it from its storage. */
  CONSISTENT_GET,
  /** A type that is not open, and that this request does not open. */
  CLOSED_TYPE,
  /** The gateway does not know the caller. */
  UNKNOWN_CALLER,
  /** The apiserver does not allow the access. */
  ACCESS,
  /** The apiserver did not answer who the caller is, or whether it has access. */
  UNANSWERED,
  /** The cache does not have the object. */
  ABSENT,
  /** The cache has no state yet, or its type was closed or defined again meanwhile. */
  LOADING,
  /** The state was not proven current in time. */
  NOT_PROVEN,
  /** The version is before history. */
  OLD_VERSION,
  /** The cache has not reached the version in time. */
  FUTURE_VERSION,
  /** The caller, its address or the number of watches or feeds is above a limit of the gateway. */
  LIMIT,
  /** The gateway has no memory for the type or for a snapshot. */
  CAPACITY;

  /** Returns the value for metrics. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
