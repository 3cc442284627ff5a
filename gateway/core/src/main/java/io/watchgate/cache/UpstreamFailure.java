package io.watchgate.cache;

import java.time.Duration;

/**
 * Reason for which the apiserver, or the connection to it, did not fulfil a request. {@link
 * FailurePolicy} defines the reaction to each.
 */
public sealed interface UpstreamFailure {

  /**
   * Returns a description for users: no secrets, no object bodies, at most a few hundred
   * characters.
   */
  String message();

  /** Returns the wait that the server asked for; zero if it asked for none. */
  default Duration retryAfter() {
    return Duration.ZERO;
  }

  /** Returns whether the failure lasts until an administrator of the cluster fixes it. */
  default boolean needsAdministrator() {
    return this instanceof Forbidden || this instanceof Unauthorized;
  }

  /** Returns a sentence with the fix if {@link #needsAdministrator}; otherwise the empty string. */
  default String remedy(ApiResource type) {
    return switch (this) {
      case Forbidden _ ->
          "An administrator must grant list and watch on "
              + type.groupResource()
              + " to the gateway, in a ClusterRole: apiGroups: [\""
              + type.group()
              + "\"], resources: [\""
              + type.resource()
              + "\"], verbs: [\"list\", \"watch\"].";
      case Unauthorized _ ->
          "An administrator must renew the credentials with which the gateway calls the apiserver.";
      default -> "";
    };
  }

  /**
   * 410 or an ERROR frame {@code Expired}/{@code Gone}: the version is out of the apiserver's
   * history.
   */
  record Expired(String message) implements UpstreamFailure {}

  /** 504 {@code ResourceVersionTooLarge}: this apiserver has not reached the version yet. */
  record NotYetReached(String message, Duration retryAfter) implements UpstreamFailure {}

  /** 429, as a Status or as text. */
  record Throttled(String message, Duration retryAfter) implements UpstreamFailure {}

  /** 401: the credentials are wrong or expired; they are reloaded for the next call. */
  record Unauthorized(String message) implements UpstreamFailure {}

  /** 403. */
  record Forbidden(String message) implements UpstreamFailure {}

  /** 404 or 405 on the collection: the type, its version or its group is not served (any more). */
  record TypeGone(String message) implements UpstreamFailure {}

  /** A Status of 400, 406, 422 and the like: the same request would fail again. */
  record BadRequest(String message) implements UpstreamFailure {}

  /** The server does not support the request (a streaming list): use the older form. */
  record Unsupported(String message) implements UpstreamFailure {}

  /** Any other 5xx, and any text or HTML from a proxy in front of the apiserver. */
  record ServerError(String message, Duration retryAfter) implements UpstreamFailure {}

  /**
   * Not JSON, not the expected JSON, an unknown event type, pages of different versions, an object
   * over the limit.
   */
  record Malformed(String message) implements UpstreamFailure {}

  /** Refused, reset, timed out, truncated in the middle of an object, TLS failure, cancelled. */
  record Transport(String message) implements UpstreamFailure {}
}
