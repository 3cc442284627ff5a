package io.watchgate.auth;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which grants the apiserver is to be asked about: users take turns, so that ten thousand
 * selections of one do not hold up what is taken from another. A grant is in it once, and not while
 * it is asked about; what is wanted meanwhile brings it back. Thread-safe.
 */
final class RecheckQueue {
  private final Map<String, ArrayDeque<ActiveGrant>> waiting = new LinkedHashMap<>();

  /** How many of each user are asked about. */
  private final Map<String, Integer> asked = new HashMap<>();

  private final int mostOfOne;

  /**
   * @param mostOfOne how many of one user are asked about at a time, so that a slow answer about
   *     one leaves room for others
   */
  RecheckQueue(int mostOfOne) {
    this.mostOfOne = mostOfOne;
  }

  /** Asks for an answer to a question that is asked at that moment or later. */
  synchronized void want(ActiveGrant grant, long since) {
    grant.wantedSince = since;
    switch (grant.stage) {
      case AT_REST -> enter(grant);
      case WAITING -> {}
      case ASKED -> grant.isWantedAgain = true;
    }
  }

  /** The next one, which is asked about until it is {@linkplain #done}; null: nobody may be. */
  synchronized @Nullable ActiveGrant next() {
    Map.Entry<String, ArrayDeque<ActiveGrant>> turn =
        waiting.entrySet().stream()
            .filter(one -> asked.getOrDefault(one.getKey(), 0) < mostOfOne)
            .findFirst()
            .orElse(null);
    if (turn == null) {
      return null;
    }
    waiting.remove(turn.getKey());
    asked.merge(turn.getKey(), 1, Integer::sum);
    ActiveGrant grant = turn.getValue().removeFirst();
    if (!turn.getValue().isEmpty()) {
      waiting.put(turn.getKey(), turn.getValue());
    }
    grant.stage = ActiveGrant.Stage.ASKED;
    grant.isWantedAgain = false;
    return grant;
  }

  /** It was asked about. */
  synchronized void done(ActiveGrant grant) {
    grant.stage = ActiveGrant.Stage.AT_REST;
    asked.computeIfPresent(user(grant), (user, count) -> count == 1 ? null : count - 1);
    if (grant.isWantedAgain) {
      enter(grant);
    }
  }

  private void enter(ActiveGrant grant) {
    grant.stage = ActiveGrant.Stage.WAITING;
    waiting.computeIfAbsent(user(grant), user -> new ArrayDeque<>()).add(grant);
  }

  private static String user(ActiveGrant grant) {
    return grant.key().caller().user();
  }
}
