package io.watchgate.check;

import io.watchgate.check.ClientState.Holding;
import io.watchgate.check.RecordedSignal.SnapshotStarted;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Check of {@link Promise#SNAPSHOT}. */
final class SnapshotCheck {
  private SnapshotCheck() {}

  static void judge(AnalyzedSession analyzed, Findings findings) {
    judgeHistories(analyzed.session(), findings);
    for (Segment segment : analyzed.segments()) {
      if (segment instanceof Segment.Snapshot snapshot
          && analyzed.filteredTruth().knows(snapshot.to())) {
        judge(snapshot, analyzed.filteredTruth().at(snapshot.to()), findings);
      }
    }
  }

  /**
   * Expects no other timeline: the truth covers one timeline, so a signal of another one is wrong.
   */
  private static void judgeHistories(Session session, Findings findings) {
    for (int at = 0; at < session.messages().size(); at++) {
      if (session.messages().get(at) instanceof RecordedMessage.Response response
          && response.signal() instanceof SnapshotStarted started) {
        findings.expect(
            !started.reason().startsAnotherHistory() && started.history().equals(session.history()),
            at,
            () -> started + ", where there is only history " + session.history());
      }
    }
  }

  private static void judge(
      Segment.Snapshot snapshot, Map<RecordedKey, RecordedState> matching, Findings findings) {
    Map<RecordedKey, Holding> sent = new HashMap<>();
    for (RecordedEvent event : snapshot.events()) {
      findings.expect(
          event.kind() == RecordedKind.ADDED,
          snapshot.messageIndex(),
          () -> event + " in a snapshot, where everything is ADDED");
      Holding twice = sent.put(event.key(), new Holding(event.uid(), event.version()));
      findings.expect(
          twice == null,
          snapshot.messageIndex(),
          () -> event + " for the second time in a snapshot");
      RecordedState state = matching.get(event.key());
      findings.expect(
          state != null && Holding.of(state).equals(sent.get(event.key())),
          snapshot.messageIndex(),
          () ->
              "%s, where at position %s there is %s"
                  .formatted(event, snapshot.to(), state == null ? "none" : Holding.of(state)));
    }
    Set<RecordedKey> keys = sent.keySet();
    for (RecordedState state : matching.values()) {
      findings.expect(
          keys.contains(state.key()),
          snapshot.messageIndex(),
          () ->
              "%s, %s, is missing from the snapshot at position %s"
                  .formatted(state.key(), Holding.of(state), snapshot.to()));
    }
    findings.expect(
        snapshot.announcedObjects() == snapshot.events().size(),
        snapshot.messageIndex(),
        () ->
            "Synced speaks of %d objects after %d"
                .formatted(snapshot.announcedObjects(), snapshot.events().size()));
  }
}
