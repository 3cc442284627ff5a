package io.watchgate.auth;

import io.watchgate.select.CompiledSelection;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * State of a grant at one moment, for operators. It has no credentials, only their kind.
 *
 * @param credentials kind of the caller's credentials, as {@link Credentials#kind}
 * @param streams number of open streams of the grant
 * @param askedAt begin of the last check; before the first re-check, the time at which the grant
 *     was made
 * @param unansweredSince begin of the re-checks that have no answer yet; null if there are none
 * @param nextCheck time of the next re-check by the timer; a change of roles causes earlier ones
 * @param expiry expiry of the credentials; null if they have none, or if it is unknown
 */
public record GrantState(
    String user,
    String credentials,
    CompiledSelection selection,
    int streams,
    Answer answer,
    Instant askedAt,
    @Nullable Instant unansweredSince,
    Instant nextCheck,
    @Nullable Instant expiry) {

  /** Last answer about a grant. */
  public enum Answer {
    /** The first check has no answer yet, so no stream of the grant is open. */
    PENDING,
    ALLOWED,
    /** The last answer was yes, and the present re-check has no answer yet. */
    UNANSWERED,
    /** The last answer was no, or the credentials have expired: the streams are being closed. */
    REVOKED
  }
}
