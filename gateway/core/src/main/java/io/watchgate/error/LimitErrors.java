package io.watchgate.error;

import io.watchgate.proto.v1.ErrorReason;
import java.time.Duration;

/**
 * Factory of the errors of limits that are reached, also of memory: the same request may succeed
 * later.
 */
public final class LimitErrors {
  private LimitErrors() {}

  // ---- limits of the gateway

  public static ApiError streams(int max, int used) {
    return quota(
        new QuotaViolation("streams", "open streams", max, used),
        Duration.ofSeconds(5),
        "this gateway has reached its limit of "
            + max
            + " open streams. Try again later, or on another replica;"
            + " its operator allows more with --max-streams.");
  }

  public static ApiError streamsOfClient(String address, int max, int used) {
    return quota(
        new QuotaViolation("streams:client", "open streams of one client", max, used),
        Duration.ofSeconds(5),
        address
            + " has reached its limit of "
            + max
            + " open streams here. Open fewer, or some on other replicas; this gateway's operator"
            + " allows more with --max-streams-per-client.");
  }

  public static ApiError browserStreams(int max) {
    return quota(
        new QuotaViolation("streams:browsers", "open streams of browsers", max, max),
        Duration.ofSeconds(5),
        "this gateway has reached its limit of "
            + max
            + " open streams of browsers. Close some, or try another"
            + " replica; its operator allows more with --max-browser-streams.");
  }

  public static ApiError feeds(int max) {
    return quota(
        new QuotaViolation("feeds", "different selections and projections", max, max),
        Duration.ofSeconds(10),
        "this gateway has reached its limit of "
            + max
            + " different selections and projections. Use those of a stream that is open, try"
            + " another replica, or ask the operator of this gateway to raise --max-feeds.");
  }

  /**
   * Returns the error for a stream whose snapshot would wait behind too many others.
   *
   * @param waiting all waiting snapshots
   * @param max maximum of waiting snapshots of the user
   * @param own waiting snapshots of the user
   */
  public static ApiError waitingSnapshots(int waiting, int max, int own) {
    return quota(
        new QuotaViolation("snapshots:waiting", "waiting snapshots", max, own),
        Duration.ofSeconds(10),
        waiting
            + " streams wait for their snapshots already. Try another replica, or ask the"
            + " operator of this gateway to raise --snapshot-mib.");
  }

  public static ApiError openServiceCalls(int max) {
    return quota(
        new QuotaViolation("calls:open", "calls of a service without credentials", max, max),
        Duration.ofSeconds(1),
        "this gateway has reached its limit of "
            + max
            + " open calls of this service. End yours once they are answered.");
  }

  public static ApiError unreadResponses(long maxBytes, long usedBytes) {
    return quota(
        new QuotaViolation(
            "responses", "bytes of responses that are not read yet", maxBytes, usedBytes),
        Duration.ofSeconds(1),
        "the memory for responses is full, because other clients have not read theirs yet. Try"
            + " again, or ask for smaller pages.");
  }

  public static ApiError responsesInProgress(long maxBytes) {
    return quota(
        new QuotaViolation(
            "responses:building", "bytes of responses that are being built", maxBytes, maxBytes),
        Duration.ofSeconds(1),
        "the memory for building responses is in use. Try again, or ask for smaller pages.");
  }

  public static ApiError unreadResponsesOfClient(long maxBytes, long usedBytes) {
    return quota(
        new QuotaViolation(
            "responses:client",
            "bytes of responses that one address has not read yet",
            maxBytes,
            usedBytes),
        Duration.ofSeconds(1),
        "this address has reached its limit of unread responses. Read them first.");
  }

  public static ApiError incompleteRequests(long maxBytes, long usedBytes) {
    return quota(
        new QuotaViolation("requests:bytes", "bytes of incomplete requests", maxBytes, usedBytes),
        Duration.ofSeconds(1),
        "this request was dropped while incomplete, because the memory for incomplete requests was"
            + " full. Send each request as a whole, and close the sending side after it.");
  }

  public static ApiError unknownTokens(int max) {
    return quota(
        new QuotaViolation("credentials:client", "unknown tokens from one address", max, max),
        Duration.ofSeconds(2),
        "too many unknown tokens came from this address; further ones are not checked for a"
            + " moment. Correct the token, then try again.");
  }

  // ---- memory of the gateway

  /**
   * Returns the error for an exhausted heap budget; also for refused streams and for pages of a
   * list.
   */
  public static ApiError heapFull() {
    return ApiError.retry(
        ErrorReason.ERROR_REASON_MEMORY,
        Duration.ofSeconds(10),
        "this gateway's heap is full: nothing new can begin before something ends. Resume later, or"
            + " at another replica; its operator has to give it a larger heap.");
  }

  /** Returns the error for a type that is not opened because the others need all memory. */
  public static ApiError noMemoryForType(String type) {
    return ApiError.retry(
        ErrorReason.ERROR_REASON_MEMORY,
        Duration.ofSeconds(30),
        "this gateway cannot open "
            + type
            + ": the resource types that are already open use all of its memory. Its operator has"
            + " to give it a larger heap.");
  }

  public static ApiError typeTooLarge(String type) {
    return ApiError.retry(
        ErrorReason.ERROR_REASON_MEMORY,
        Duration.ofSeconds(30),
        "the objects of "
            + type
            + " need more memory than this gateway has for them. Its operator has to give it"
            + " a larger heap.");
  }

  // ---- limits of one user

  public static ApiError callsOfUser(String user, int maxPerSecond) {
    return ofUser(
        new QuotaViolation("opens:user", "calls a second of one user", maxPerSecond, maxPerSecond),
        user,
        maxPerSecond + " calls a second",
        "--max-opens-per-user");
  }

  public static ApiError reviewsOfUser(String user, int max, int used) {
    return ofUser(
        new QuotaViolation("reviews:user", "calls that wait for an access review", max, used),
        user,
        max + " calls that wait for an access review",
        "");
  }

  public static ApiError streamsOfUser(String user, int max, int used) {
    return ofUser(
        new QuotaViolation("streams:user", "open streams of one user", max, used),
        user,
        max + " open streams here",
        "--max-streams-per-user");
  }

  public static ApiError selectionsOfUser(String user, int max, int used) {
    return ofUser(
        new QuotaViolation(
            "selections:user", "different selections and projections of one user", max, used),
        user,
        max + " different selections and projections here",
        "--max-selections-per-user");
  }

  /**
   * Returns the error for a limit of one user.
   *
   * @param limit number and noun
   * @param option option of the gateway that sets the limit; empty: none
   */
  private static ApiError ofUser(QuotaViolation quota, String user, String limit, String option) {
    return quota(
        quota,
        Duration.ofSeconds(5),
        "the user \""
            + user
            + "\" has reached the limit of "
            + limit
            + " for one user. Try again later, or at another replica"
            + (option.isEmpty() ? "" : "; this gateway's operator allows more with " + option)
            + ".");
  }

  private static ApiError quota(QuotaViolation quota, Duration retryAfter, String message) {
    return new ApiError(ErrorReason.ERROR_REASON_QUOTA, message, "", 0, retryAfter, quota, null);
  }
}
