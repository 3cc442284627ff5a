package io.watchgate.auth;

import io.watchgate.cache.TimeSource;
import io.watchgate.error.ApiError;
import io.watchgate.select.CompiledSelection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Permission of one caller to watch one selection, shared by all streams of the two. Once revoked
 * it stays revoked; later streams get a new grant. Volatile fields are read and written without a
 * lock, the other non-final ones are guarded by {@code this}, unless noted.
 */
final class ActiveGrant {
  private static final Logger log = LoggerFactory.getLogger(ActiveGrant.class);

  private final Key key;
  private final List<AccessAttributes> accesses;
  private @Nullable Instant reauthenticateAt;
  private final Set<GrantListener> listeners = new HashSet<>();

  /** Listeners that have been notified that they need newer credentials. */
  private Set<GrantListener> notified = Set.of();

  private volatile @Nullable ApiError revocation;

  /** The caller as the apiserver identified it in the last review. */
  volatile Caller caller;

  /** Time of the next re-check, in {@code nanoTime}. */
  volatile long nextCheck;

  /**
   * Time of the first re-check request since the last answer, in {@code nanoTime}; null: none is
   * pending.
   */
  volatile @Nullable Long unansweredSince;

  /** Set once a check was answered with yes. */
  volatile boolean isAllowed;

  /** Stage in the {@link RecheckQueue}, which guards this field and the next one. */
  Stage stage = Stage.IDLE;

  boolean isRequestedAgain;

  /** Time of the last request, in {@code nanoTime}; before the first one, the time of the grant. */
  volatile long requestedAt;

  /** Stage of a grant in its re-check. */
  enum Stage {
    IDLE,
    QUEUED,
    IN_REVIEW
  }

  /**
   * Identity of a grant. Two tokens of one user are two callers, since each token has its own
   * expiry.
   */
  record Key(Caller caller, CompiledSelection selection) {}

  ActiveGrant(Key key, TimeSource.Reading now, long nextCheck) {
    this.key = key;
    this.caller = key.caller;
    this.accesses =
        AccessAttributes.of(
            key.selection, List.of(AccessAttributes.Verb.LIST, AccessAttributes.Verb.WATCH));
    this.nextCheck = nextCheck;
    this.requestedAt = now.nanos();
    this.reauthenticateAt = reauthenticationTime(key.caller.expiry(), now.wall());
  }

  private static @Nullable Instant reauthenticationTime(@Nullable Instant expiry, Instant now) {
    return expiry == null ? null : expiry.minus(reauthenticationMargin(now, expiry));
  }

  private static Duration reauthenticationMargin(Instant now, Instant expiry) {
    Duration half = Duration.between(now, expiry).dividedBy(2);
    return half.compareTo(AuthSettings.Rechecks.REAUTHENTICATION_MARGIN) < 0
        ? half
        : AuthSettings.Rechecks.REAUTHENTICATION_MARGIN;
  }

  Key key() {
    return key;
  }

  /** Returns the accesses that must all be allowed. */
  List<AccessAttributes> accesses() {
    return accesses;
  }

  synchronized void add(GrantListener listener, Instant now) {
    if (!notified.isEmpty() && notified.size() == listeners.size()) {
      // A listener that has no newer credentials yet would reconnect in a loop if it were notified
      // now.
      reauthenticateAt = reauthenticationTime(key.caller.expiry(), now);
    }
    listeners.add(listener);
    ApiError why = revocation;
    if (why != null) {
      listener.revoke(why);
    }
  }

  /** Removes a listener and returns whether it was the last one. */
  synchronized boolean remove(GrantListener listener) {
    listeners.remove(listener);
    if (!notified.isEmpty()) {
      notified.remove(listener);
    }
    return listeners.isEmpty();
  }

  synchronized boolean hasListeners() {
    return !listeners.isEmpty();
  }

  void revoke(ApiError refusal) {
    List<GrantListener> all;
    synchronized (this) {
      revocation = refusal;
      all = new ArrayList<>(listeners);
    }
    for (GrantListener listener : all) {
      try {
        listener.revoke(refusal);
      } catch (RuntimeException e) {
        log.error(
            "a stream whose right has ended could not be closed",
            e); // one failure must not stop the others
      }
    }
  }

  /** Asks streams to reauthenticate if their credentials expire soon. */
  synchronized void requestReauthenticationIfDue(Instant now) {
    if (reauthenticateAt == null || now.isBefore(reauthenticateAt)) {
      return;
    }
    for (GrantListener listener : listeners) {
      if (!notified.contains(listener)) {
        try {
          listener.reauthenticate();
        } catch (RuntimeException e) {
          // One failure must not stop the others, nor the re-checks of all grants.
          log.error("a stream whose credentials expire soon could not be notified", e);
        }
      }
    }
    if (notified.size() != listeners.size()) {
      notified = new HashSet<>(listeners);
    }
  }

  boolean isRevoked() {
    return revocation != null;
  }

  /** Returns the state for operators. */
  GrantState state(TimeSource.Reading now) {
    Long since = unansweredSince;
    GrantState.Answer answer;
    if (isRevoked()) {
      answer = GrantState.Answer.REVOKED;
    } else if (!isAllowed) {
      answer = GrantState.Answer.PENDING;
    } else {
      answer = since == null ? GrantState.Answer.ALLOWED : GrantState.Answer.UNANSWERED;
    }
    return new GrantState(
        caller.user(),
        key.caller.credentials().kind(),
        key.selection,
        countListeners(),
        answer,
        instant(requestedAt, now),
        since == null ? null : instant(since, now),
        instant(nextCheck, now),
        key.caller.expiry());
  }

  private static Instant instant(long nanos, TimeSource.Reading now) {
    return now.wall().plusNanos(nanos - now.nanos());
  }

  private synchronized int countListeners() {
    return listeners.size();
  }

  /** Returns whether the credentials have expired. */
  boolean isExpired(Instant now) {
    Instant expiry = key.caller.expiry();
    return expiry != null && !now.isBefore(expiry);
  }
}
