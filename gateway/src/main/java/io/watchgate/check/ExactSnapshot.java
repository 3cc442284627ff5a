package io.watchgate.check;

import io.watchgate.check.Held.Holding;
import io.watchgate.check.Signal.SnapshotStarted;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** {@link Promise#SNAPSHOT}. */
final class ExactSnapshot implements Check {
  @Override
  public Promise promise() {
    return Promise.SNAPSHOT;
  }

  @Override
  public void judge(Examined examined, Findings findings) {
    judgeHistories(examined.session(), findings);
    for (Passage passage : examined.passages()) {
      if (passage instanceof Passage.Snapshot snapshot
          && examined.selected().knows(snapshot.to())) {
        judge(snapshot, examined.selected().at(snapshot.to()), findings);
      }
    }
  }

  /** The truth is of one history, so whatever is said to be of another one is not true. */
  private static void judgeHistories(Session session, Findings findings) {
    for (int at = 0; at < session.heard().size(); at++) {
      if (session.heard().get(at) instanceof Heard.Response response
          && response.signal() instanceof SnapshotStarted started) {
        findings.expect(
            !started.reason().startsAnotherHistory() && started.history().equals(session.history()),
            at,
            () -> started + ", where there is only history " + session.history());
      }
    }
  }

  private static void judge(
      Passage.Snapshot snapshot, Map<Key, State> matching, Findings findings) {
    Map<Key, Holding> sent = new HashMap<>();
    for (Event event : snapshot.events()) {
      findings.expect(
          event.kind() == Kind.ADDED,
          snapshot.heard(),
          () -> event + " in a snapshot, where everything is ADDED");
      Holding twice = sent.put(event.key(), new Holding(event.uid(), event.version()));
      findings.expect(
          twice == null, snapshot.heard(), () -> event + " for the second time in a snapshot");
      State state = matching.get(event.key());
      findings.expect(
          state != null && Holding.of(state).equals(sent.get(event.key())),
          snapshot.heard(),
          () ->
              "%s, where at position %s there is %s"
                  .formatted(event, snapshot.to(), state == null ? "none" : Holding.of(state)));
    }
    Set<Key> keys = sent.keySet();
    for (State state : matching.values()) {
      findings.expect(
          keys.contains(state.key()),
          snapshot.heard(),
          () ->
              "%s, %s, is missing from the snapshot at position %s"
                  .formatted(state.key(), Holding.of(state), snapshot.to()));
    }
    findings.expect(
        snapshot.counted() == snapshot.events().size(),
        snapshot.heard(),
        () ->
            "Synced speaks of %d objects after %d"
                .formatted(snapshot.counted(), snapshot.events().size()));
  }
}
