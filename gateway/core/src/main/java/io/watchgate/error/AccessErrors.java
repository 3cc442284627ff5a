package io.watchgate.error;

import io.watchgate.proto.v1.ErrorReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Factory of the errors of credentials and permissions. The refused caller reads them, so they
 * contain nothing beyond the caller's own name and request.
 */
public final class AccessErrors {
  /** Problems of credentials that cannot be used, for {@link #unusable}. */
  public static final String SEVERAL_AUTHORIZATIONS =
      "the call has more than one authorization entry in its metadata; send one.";

  public static final String NOT_A_BEARER =
      "the authorization metadata is of another form than \"Bearer TOKEN\".";

  public static final String EMPTY_TOKEN = "the token in the authorization metadata is empty.";

  /** Subject of a review of a token, for {@link #reviewUnavailable}. */
  public static final String WHO_CALLS = "to identify the caller";

  /** Reasons of a re-check without an answer, for {@link #notRechecked}. */
  public static final String NOT_ANSWERED_YET = "the apiserver has not answered yet";

  public static final String RECHECK_FAILED = "the check failed in the gateway, whose log says why";

  /** Delay before a client repeats a call about which the apiserver did not answer. */
  private static final Duration REVIEW_RETRY = Duration.ofSeconds(2);

  /** Delay before a client resumes a stream whose permission could not be re-checked. */
  private static final Duration RECHECK_RETRY = Duration.ofSeconds(5);

  private AccessErrors() {}

  // ---- credentials

  /** Returns the problem of a token that is too long, for {@link #unusable}. */
  public static String authorizationTooLong(int bytes, int maxTokenBytes) {
    return "the authorization metadata has %d bytes; a token may have at most %d. Send a shorter one."
        .formatted(bytes, maxTokenBytes);
  }

  public static ApiError tokenNotOneWord() {
    return unusable("the bearer token is empty or contains spaces.");
  }

  /**
   * Returns the error for a call without credentials.
   *
   * @param accepted credentials that the gateway accepts
   */
  public static ApiError noCredentials(Accepted accepted) {
    return unusable(
        "the call has no credentials. " + accepted.remedy("metadata authorization: Bearer TOKEN"));
  }

  /**
   * Returns the error for a token that the file of tokens does not have.
   *
   * @param accepted credentials that the gateway accepts
   */
  public static ApiError tokenNotInFile(Accepted accepted) {
    return unusable(
        "the token that was sent is unknown to this gateway. " + accepted.remedy("another token"));
  }

  /**
   * Returns the error for a token that the apiserver does not accept.
   *
   * @param accepted credentials that the gateway accepts
   */
  public static ApiError tokenUnknownToApiserver(Accepted accepted) {
    return unusable(
        "the apiserver does not accept the token that was sent: it is unknown, was made for another"
            + " audience, has expired, or its account was deleted. "
            + accepted.remedy("another token"));
  }

  /**
   * Credentials that a gateway accepts.
   *
   * @param tokens whether it accepts any tokens
   * @param audiences audiences of the tokens that the apiserver reviews; empty: it reviews none
   * @param certificates whether it accepts client certificates
   */
  public record Accepted(boolean tokens, List<String> audiences, boolean certificates) {
    public Accepted {
      audiences = List.copyOf(audiences);
    }

    private String remedy(String token) {
      if (!tokens) {
        return "Present a client certificate.";
      }
      return "Send "
          + token
          + (audiences.isEmpty()
              ? ""
              : ", of the cluster and for the audience \""
                  + String.join("\" or \"", audiences)
                  + "\"")
          + (certificates ? ", or present a client certificate." : ".");
    }
  }

  public static ApiError authorityNotTrusted() {
    return expired(
        "the CA that signed the client certificate is not trusted any more. Connect with a"
            + " certificate of another CA.");
  }

  public static ApiError certificateWithoutUser(String reason) {
    return unusable("the client certificate identifies no user: " + reason + ".");
  }

  /** Returns the error for credentials that cannot be used. */
  public static ApiError unusable(String problem) {
    return ApiError.of(ErrorReason.ERROR_REASON_CREDENTIALS_INVALID, problem);
  }

  public static ApiError certificateExpired(Instant expiry) {
    return expired("the client certificate expired at " + expiry + ". Connect with a newer one.");
  }

  public static ApiError tokenExpired(Instant expiry) {
    return expired("the token expired at " + expiry + ". Send a newer one.");
  }

  /** Returns the end of a stream whose credentials have expired. */
  public static ApiError streamCredentialsExpired() {
    return expired(
        "the credentials that this stream was opened with have expired. Resume with newer"
            + " ones.");
  }

  private static ApiError expired(String message) {
    return ApiError.of(ErrorReason.ERROR_REASON_CREDENTIALS_EXPIRED, message);
  }

  // ---- permissions

  /**
   * Returns the error for a denied access.
   *
   * @param access the access as text: {@code list pods in the namespace "a"}
   * @param verbs verbs that the call needs, without duplicates
   */
  public static ApiError denied(String user, String access, List<String> verbs) {
    return ApiError.of(
        ErrorReason.ERROR_REASON_ACCESS_DENIED,
        mayNot(user, access)
            + ": the apiserver does not allow it. The call needs the "
            + (verbs.size() == 1 ? "permission " : "permissions ")
            + String.join(" and ", verbs)
            + ", which an administrator can grant.");
  }

  /** Returns the end of a stream whose permission was revoked. */
  public static ApiError revoked(String user, String access) {
    return ApiError.of(
        ErrorReason.ERROR_REASON_ACCESS_CHANGED,
        mayNot(user, access) + " any more. Watch again once the right is given back.");
  }

  private static String mayNot(String user, String access) {
    return "the user \"" + user + "\" may not " + access;
  }

  // ---- reviews without an answer

  /** Returns the subject of a review of a user's access, for {@link #reviewUnavailable}. */
  public static String whatMayRead(String user) {
    return "to check what \"" + user + "\" may read";
  }

  /**
   * Returns the error for a review that the apiserver did not answer.
   *
   * @param subject subject of the review
   * @param remedy action for an operator; empty: unknown
   */
  public static ApiError reviewUnavailable(String subject, String remedy) {
    return ApiError.retry(
        ErrorReason.ERROR_REASON_UPSTREAM_UNAVAILABLE,
        REVIEW_RETRY,
        "the apiserver could not be asked "
            + subject
            + (remedy.isEmpty()
                ? ". Try again. An operator finds the reason in the log of this gateway."
                : ": " + remedy + ". Try again once an operator has changed that."));
  }

  /** Returns the end of a stream whose permission could not be re-checked. */
  public static ApiError notRechecked(String reason) {
    return ApiError.retry(
        ErrorReason.ERROR_REASON_UPSTREAM_UNAVAILABLE,
        RECHECK_RETRY,
        "the permission of this stream was not re-checked in time: " + reason);
  }
}
