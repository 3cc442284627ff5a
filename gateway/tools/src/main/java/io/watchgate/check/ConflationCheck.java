package io.watchgate.check;

import io.watchgate.check.ClientState.Holding;
import java.util.Optional;

/** Check of {@link Promise#CONFLATION}. */
final class ConflationCheck {
  private ConflationCheck() {}

  static void judge(AnalyzedSession examined, Findings findings) {
    ClientState.replay(
        examined,
        (event, before, passage) -> {
          if (examined.canReplaceChanges(passage) && examined.canJudge(event, passage)) {
            judge(event, before, passage, findings);
          }
        },
        (reached, held, differing) -> {});
  }

  private static void judge(
      RecordedEvent event, Optional<Holding> held, Segment passage, Findings findings) {
    boolean merges =
        event.kind() != RecordedKind.DELETED
            && held.filter(one -> !one.uid().equals(event.uid())).isPresent();
    findings.expect(
        !merges,
        passage.heard(),
        () -> "%s takes the place of another object, whose end was not sent".formatted(event));
  }
}
