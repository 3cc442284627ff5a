package io.watchgate.auth;

import io.watchgate.fanout.ApiError;
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
 * That a caller may watch a selection, for all streams of the two. Once it is gone it stays so:
 * whoever comes then has another one. What is not final is guarded by the lock of this, unless
 * something else is said.
 */
final class ActiveGrant {
  private static final Logger log = LoggerFactory.getLogger(ActiveGrant.class);

  /** Before credentials expire, but not before half of their time is over. */
  private static final Duration EARLY = Duration.ofSeconds(10);

  private final Key key;
  private final List<AccessAttributes> accesses;
  private @Nullable Instant reauthenticateAt;
  private final Set<GrantListener> holders = new HashSet<>();

  /** Of them, who has heard that he needs newer credentials. */
  private Set<GrantListener> told = Set.of();

  private volatile @Nullable ApiError gone;

  /** As the apiserver knows him by now. */
  volatile Caller caller;

  /** When it is asked about next, of {@code nanoTime}. */
  volatile long nextCheck;

  /** Since when it is asked about without an answer; null: there was one. */
  volatile @Nullable Long unansweredSince;

  /** Where it is in its {@link RecheckQueue}, which guards this and what follows. */
  Stage stage = Stage.AT_REST;

  boolean isWantedAgain;
  volatile long wantedSince;

  /** Whether it is asked about. */
  enum Stage {
    AT_REST,
    WAITING,
    ASKED
  }

  /** Two tokens of one user are two: each has its own end. */
  record Key(Caller caller, CompiledSelection selection) {}

  ActiveGrant(Key key, Instant now, long nextCheck) {
    this.key = key;
    this.caller = key.caller;
    this.accesses =
        AccessAttributes.of(
            key.selection, List.of(AccessAttributes.Verb.LIST, AccessAttributes.Verb.WATCH));
    this.nextCheck = nextCheck;
    this.reauthenticateAt = before(key.caller.expiry(), now);
  }

  private static @Nullable Instant before(@Nullable Instant expiry, Instant now) {
    return expiry == null ? null : expiry.minus(early(now, expiry));
  }

  private static Duration early(Instant now, Instant expiry) {
    Duration half = Duration.between(now, expiry).dividedBy(2);
    return half.compareTo(EARLY) < 0 ? half : EARLY;
  }

  Key key() {
    return key;
  }

  /** All of it has to be allowed. */
  List<AccessAttributes> accesses() {
    return accesses;
  }

  synchronized void add(GrantListener holder, Instant now) {
    if (!told.isEmpty() && told.size() == holders.size()) {
      // Told at once, one who has no newer ones yet would come again and again.
      reauthenticateAt = before(key.caller.expiry(), now);
    }
    holders.add(holder);
    ApiError why = gone;
    if (why != null) {
      holder.expel(why);
    }
  }

  /** Returns whether it was the last. */
  synchronized boolean remove(GrantListener holder) {
    holders.remove(holder);
    if (!told.isEmpty()) {
      told.remove(holder);
    }
    return holders.isEmpty();
  }

  synchronized boolean isHeld() {
    return !holders.isEmpty();
  }

  void expel(ApiError refusal) {
    List<GrantListener> all;
    synchronized (this) {
      gone = refusal;
      all = new ArrayList<>(holders);
    }
    for (GrantListener holder : all) {
      try {
        holder.expel(refusal);
      } catch (RuntimeException e) {
        log.error("a stream could not be told to end", e); // the others are all the same
      }
    }
  }

  /** Has streams go on with newer credentials if these end soon. */
  synchronized void lookAtClock(Instant now) {
    if (reauthenticateAt == null || now.isBefore(reauthenticateAt)) {
      return;
    }
    for (GrantListener holder : holders) {
      if (!told.contains(holder)) {
        holder.reauthenticate();
      }
    }
    if (told.size() != holders.size()) {
      told = new HashSet<>(holders);
    }
  }

  boolean isGone() {
    return gone != null;
  }

  /** Whether the credentials are of no use any more. */
  boolean isExpired(Instant now) {
    Instant expiry = key.caller.expiry();
    return expiry != null && !now.isBefore(expiry);
  }
}
