package io.watchgate.auth;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which grants the apiserver is to be asked about: users take turns, so that ten thousand
 * selections of one do not hold up what is taken from another. A grant is in it once, and not while
 * it is asked about; what is wanted meanwhile brings it back. Thread-safe.
 */
final class RecheckQueue {
  private final Map<String, ArrayDeque<Grant>> waiting = new LinkedHashMap<>();

  /** Asks for an answer to a question that is asked at that moment or later. */
  synchronized void want(Grant grant, long since) {
    grant.wantedSince = since;
    switch (grant.stage) {
      case AT_REST -> enter(grant);
      case WAITING -> {}
      case ASKED -> grant.isWantedAgain = true;
    }
  }

  /** The next one, which is asked about until it is {@linkplain #done}; null: nobody waits. */
  synchronized @Nullable Grant next() {
    if (waiting.isEmpty()) {
      return null;
    }
    Map.Entry<String, ArrayDeque<Grant>> turn = waiting.entrySet().iterator().next();
    waiting.remove(turn.getKey());
    Grant grant = turn.getValue().removeFirst();
    if (!turn.getValue().isEmpty()) {
      waiting.put(turn.getKey(), turn.getValue());
    }
    grant.stage = Grant.Stage.ASKED;
    grant.isWantedAgain = false;
    return grant;
  }

  /** It was asked about. */
  synchronized void done(Grant grant) {
    grant.stage = Grant.Stage.AT_REST;
    if (grant.isWantedAgain) {
      enter(grant);
    }
  }

  private void enter(Grant grant) {
    grant.stage = Grant.Stage.WAITING;
    waiting.computeIfAbsent(grant.key().caller().user(), user -> new ArrayDeque<>()).add(grant);
  }
}
