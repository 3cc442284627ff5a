package io.watchgate.check;

import io.watchgate.check.ClientState.Holding;
import java.util.Optional;

/** Check of {@link Promise#CONFLATION}. */
final class ConflationCheck {
  private ConflationCheck() {}

  static void judge(AnalyzedSession analyzed, Findings findings) {
    ClientState.replay(
        analyzed,
        (event, before, segment) -> {
          if (analyzed.canReplaceChanges(segment) && analyzed.canJudge(event, segment)) {
            judge(event, before, segment, findings);
          }
        },
        (reached, held, differing) -> {});
  }

  private static void judge(
      RecordedEvent event, Optional<Holding> before, Segment segment, Findings findings) {
    boolean merges =
        event.kind() != RecordedKind.DELETED
            && before.filter(one -> !one.uid().equals(event.uid())).isPresent();
    findings.expect(
        !merges,
        segment.messageIndex(),
        () -> "%s takes the place of another object, whose end was not sent".formatted(event));
  }
}
