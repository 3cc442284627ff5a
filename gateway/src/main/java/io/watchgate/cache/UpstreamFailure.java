package io.watchgate.cache;

import java.time.Duration;

/**
 * Reason for which the apiserver, or the way to it, did not do what was asked. The reaction to each
 * stands in {@link FailurePolicy}.
 */
public sealed interface UpstreamFailure {

  /**
   * What happened, for a person: no secrets, no object bodies, at most a few hundred characters.
   */
  String message();

  /** How long the server asked to be left alone; zero where it named nothing. */
  default Duration retryAfter() {
    return Duration.ZERO;
  }

  /** Whether it lasts until an administrator of the cluster does something. */
  default boolean needsAdministrator() {
    return this instanceof Forbidden || this instanceof Unauthorized;
  }

  /** What to do about it where {@link #needsAdministrator}, as a sentence; else empty. */
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

  /** 429, whether a Status or text. */
  record Throttled(String message, Duration retryAfter) implements UpstreamFailure {}

  /** 401: the credentials are wrong or worn; they are read anew for the next call. */
  record Unauthorized(String message) implements UpstreamFailure {}

  /** 403. */
  record Forbidden(String message) implements UpstreamFailure {}

  /** 404 or 405 on the collection: the type, its version or its group is not served (any more). */
  record TypeGone(String message) implements UpstreamFailure {}

  /** A Status of 400, 406, 422 and the like: the same request would fail again. */
  record BadRequest(String message) implements UpstreamFailure {}

  /** The server does not do what was asked (a streaming list): use the older way. */
  record Unsupported(String message) implements UpstreamFailure {}

  /** Any other 5xx, and whatever something before the apiserver says in words or HTML. */
  record ServerError(String message, Duration retryAfter) implements UpstreamFailure {}

  /**
   * Not JSON, not the JSON expected, an unknown event type, pages of different versions, an object
   * over the limit.
   */
  record Malformed(String message) implements UpstreamFailure {}

  /** Refused, reset, timed out, cut in the middle of an object, TLS failure, cancelled. */
  record Transport(String message) implements UpstreamFailure {}
}
