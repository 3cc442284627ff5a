package io.watchgate.error;

import io.watchgate.proto.v1.ErrorReason;
import java.time.Duration;

/**
 * Factory of the errors of the apiserver's side: a type or a version is not available here, for now
 * or for good. Parameters named {@code type} are names such as {@code deployments.apps}; parameters
 * named {@code failure} are messages of the apiserver, or of the connection to it.
 */
public final class UpstreamErrors {
  private UpstreamErrors() {}

  // ---- the apiserver did not answer, or refused

  /**
   * Returns the error for a stream whose type the gateway may not read, or cannot without an
   * administrator.
   */
  public static ApiError gatewayMayNotRead(String type, String failure, String remedy) {
    return forbidden("the gateway itself may not read " + type + ": " + failure + ". " + remedy);
  }

  /** Returns the error for a stream whose type could not be loaded in time. */
  public static ApiError notLoaded(String type, String failure) {
    return unavailable(
        Duration.ofSeconds(5), "the apiserver did not answer for " + type + ": " + failure);
  }

  /** Returns the error for a list of a type that could not be loaded. */
  public static ApiError notListed(String type, String failure) {
    return unavailable(Duration.ofSeconds(2), notListedText(type, failure));
  }

  /** Returns the error for a list of a type that only an administrator can make available. */
  public static ApiError gatewayMayNotList(String type, String failure, String remedy) {
    return forbidden(notListedText(type, failure) + ". " + remedy);
  }

  private static String notListedText(String type, String failure) {
    return "the apiserver did not list " + type + " for the gateway: " + failure;
  }

  /** Returns the error if the apiserver did not answer which types it has. */
  public static ApiError typesUnknown(String failure) {
    return unavailable(
        Duration.ofSeconds(2), "the apiserver could not be asked for its types: " + failure);
  }

  /** Returns the error if the apiserver did not answer whether it has a type. */
  public static ApiError typeNotAnswered(String type, String failure) {
    return unavailable(Duration.ofSeconds(2), typeNotAskedText(type, failure));
  }

  /** Returns the error if the apiserver does not let the gateway ask for a type. */
  public static ApiError gatewayMayNotAskFor(String type, String failure) {
    return forbidden(typeNotAskedText(type, failure));
  }

  private static String typeNotAskedText(String type, String failure) {
    return "the apiserver could not be asked for \"" + type + "\": " + failure;
  }

  /** Returns an error that only an administrator can fix. Clients are asked to wait for 10 s. */
  private static ApiError forbidden(String message) {
    return ApiError.retry(
        ErrorReason.ERROR_REASON_UPSTREAM_FORBIDDEN, Duration.ofSeconds(10), message);
  }

  private static ApiError unavailable(Duration retryAfter, String message) {
    return ApiError.retry(ErrorReason.ERROR_REASON_UPSTREAM_UNAVAILABLE, retryAfter, message);
  }

  // ---- versions that have not arrived

  /** Returns the error for every request before the apiserver has answered for the first time. */
  public static ApiError starting() {
    return ApiError.retry(
        ErrorReason.ERROR_REASON_STARTING,
        Duration.ofSeconds(2),
        "this gateway is starting: it cannot read from the apiserver yet. Try again; if it lasts,"
            + " /readyz and the log of the gateway say why.");
  }

  /** Returns the error for a list of a type whose first list is not complete. */
  public static ApiError loading(String type) {
    return ApiError.retry(
        ErrorReason.ERROR_REASON_STARTING,
        Duration.ofSeconds(1),
        type + " are still being loaded. Try again.");
  }

  /** Returns the error for a list that should be at least as new as a version. */
  public static ApiError listBehind(String wanted, String type, String newest) {
    return behind("version " + wanted, type, newest);
  }

  /**
   * Returns the error for a stream from a version that is newer than all of this gateway.
   *
   * @param position name of the version: {@code resource_version}
   */
  public static ApiError streamBehind(String position, String wanted, String type, String newest) {
    return behind(position + " " + wanted, type, "version " + newest);
  }

  private static ApiError behind(String wanted, String type, String newest) {
    return ApiError.retry(
        ErrorReason.ERROR_REASON_BEHIND,
        Duration.ofSeconds(1),
        wanted
            + " of "
            + type
            + " has not arrived here yet; this gateway holds "
            + newest
            + ". Try again, here or on another replica.");
  }

  /**
   * Returns the end of a stream whose freshness cannot be proved any more.
   *
   * @param reason reason of the last proof that failed, or empty
   */
  public static ApiError tooStale(String type, String reason) {
    return ApiError.retry(
        ErrorReason.ERROR_REASON_TOO_STALE,
        Duration.ofSeconds(5),
        "the apiserver has not confirmed this gateway's state of "
            + type
            + " within max_staleness"
            + (reason.isEmpty() ? "" : ": " + reason)
            + ". Try another replica, or try again later.");
  }

  // ---- the end of a type's list-watch

  public static ApiError typeGone(String type) {
    return ApiError.of(
        ErrorReason.ERROR_REASON_TYPE_GONE,
        "the apiserver does not serve "
            + type
            + " any more: its definition was deleted, or the version that was watched.");
  }

  public static ApiError versionsNotOrdered(String type) {
    return ApiError.of(
        ErrorReason.ERROR_REASON_VERSIONS_NOT_ORDERED,
        "the resourceVersions of "
            + type
            + " are not decimal numbers, so that no order can be promised. Watch the apiserver"
            + " directly.");
  }

  public static ApiError typeRedefined(String type) {
    return ApiError.retry(
        ErrorReason.ERROR_REASON_STARTING,
        Duration.ofMillis(100),
        type + " was redefined. Resume: the stream then has the new definition.");
  }

  public static ApiError typeClosed(String type) {
    return ApiError.retry(
        ErrorReason.ERROR_REASON_STARTING,
        Duration.ofSeconds(1),
        "the list-watch of " + type + " was closed. Resume: it is opened again.");
  }
}
