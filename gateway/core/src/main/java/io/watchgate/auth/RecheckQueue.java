package io.watchgate.auth;

import io.watchgate.cache.FairQueue;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Queue of the grants to re-check ({@link AuthSettings.Rechecks}). It is served round robin by
 * user, so that ten thousand selections of one user do not delay the revocation of another user's
 * right. A grant is in the queue at most once, and not while it is being reviewed; if it is
 * requested meanwhile, it is enqueued again afterwards. Thread-safe.
 */
final class RecheckQueue {
  private final FairQueue<String, ActiveGrant> waiting = new FairQueue<>();

  /** Number of grants under review, by user. */
  private final Map<String, Integer> inReview = new HashMap<>();

  private final int maxPerUser;

  /**
   * Creates a queue.
   *
   * @param maxPerUser maximum number of grants of one user under review at a time, so that slow
   *     answers about one user leave room for others
   */
  RecheckQueue(int maxPerUser) {
    this.maxPerUser = maxPerUser;
  }

  /** Requests a review that begins at that moment or later. */
  synchronized void request(ActiveGrant grant, long since) {
    grant.requestedAt = since;
    switch (grant.stage) {
      case IDLE -> enqueue(grant);
      case QUEUED -> {}
      case IN_REVIEW -> grant.isRequestedAgain = true;
    }
  }

  /**
   * Takes the next grant, which is under review until {@link #done}; null: there is none that may
   * be reviewed now.
   */
  synchronized @Nullable ActiveGrant poll() {
    String user = waiting.nextKey(one -> inReview.getOrDefault(one, 0) < maxPerUser);
    if (user == null) {
      return null;
    }
    inReview.merge(user, 1, Integer::sum);
    ActiveGrant grant = waiting.poll(user);
    grant.stage = ActiveGrant.Stage.IN_REVIEW;
    grant.isRequestedAgain = false;
    return grant;
  }

  /** Marks a grant as reviewed. */
  synchronized void done(ActiveGrant grant) {
    grant.stage = ActiveGrant.Stage.IDLE;
    inReview.computeIfPresent(user(grant), (user, count) -> count == 1 ? null : count - 1);
    if (grant.isRequestedAgain) {
      enqueue(grant);
    }
  }

  private void enqueue(ActiveGrant grant) {
    grant.stage = ActiveGrant.Stage.QUEUED;
    waiting.add(user(grant), grant);
  }

  private static String user(ActiveGrant grant) {
    return grant.key().caller().user();
  }
}
