package io.watchgate.check;

import io.watchgate.check.ClientState.Holding;
import io.watchgate.check.FilteredTruth.Transition;
import io.watchgate.check.RecordedEvent.Removal;
import java.util.Optional;

/** Check of {@link Promise#FILTERED}. */
final class FilterCheck {
  private FilterCheck() {}

  static void judge(AnalyzedSession examined, Findings findings) {
    ClientState.replay(
        examined,
        (event, before, passage) -> {
          if (!examined.canJudge(event, passage)) {
            return;
          }
          judgeKind(event, before, passage, findings);
          if (!(passage instanceof Segment.Snapshot)) {
            judgeOrigin(event, passage, examined, findings);
          }
        },
        (reached, held, differing) -> {});
  }

  /**
   * Expects ADDED only for objects that the client does not hold, all other kinds only for objects
   * that it holds.
   */
  private static void judgeKind(
      RecordedEvent event, Optional<Holding> held, Segment passage, Findings findings) {
    boolean fits =
        switch (event.kind()) {
          case ADDED -> held.isEmpty();
          case MODIFIED, DELETED -> held.map(Holding::uid).equals(Optional.of(event.uid()));
        };
    findings.expect(
        fits,
        passage.heard(),
        () ->
            "%s, while %s"
                .formatted(
                    event, held.map(one -> one + " is held").orElse("no such object is held")));
    findings.expect(
        (event.kind() == RecordedKind.DELETED) == (event.removal() != Removal.NONE),
        passage.heard(),
        () ->
            "%s: a removal reason is missing on DELETED, or present on another kind"
                .formatted(event));
  }

  private static void judgeOrigin(
      RecordedEvent event, Segment passage, AnalyzedSession examined, Findings findings) {
    FilteredTruth selected = examined.filteredTruth();
    if (!examined.canReplaceChanges(passage)) {
      Optional<Transition> really = selected.transition(event.version());
      findings.expect(
          really.filter(one -> isSame(one, event)).isPresent(),
          passage.heard(),
          () -> "%s, where upstream had %s".formatted(event, describe(really)));
    } else if (event.kind() != RecordedKind.DELETED) {
      findings.expect(
          selected.state(event.key(), event.version()).isPresent(),
          passage.heard(),
          () -> "%s does not match in that version".formatted(event));
    } else if (event.removal() == Removal.NO_LONGER_MATCHES) {
      findings.expect(
          selected.between(passage.from(), event.version()).stream()
              .anyMatch(
                  one ->
                      one.removal() == Removal.NO_LONGER_MATCHES
                          && one.state().uid().equals(event.uid())),
          passage.heard(),
          () -> "%s, but the object matched at every version up to that one".formatted(event));
    }
  }

  private static boolean isSame(Transition one, RecordedEvent event) {
    return one.kind() == event.kind()
        && one.removal() == event.removal()
        && one.state().key().equals(event.key())
        && one.state().uid().equals(event.uid());
  }

  private static String describe(Optional<Transition> really) {
    return really.map(Transition::toString).orElse("nothing that concerns the selection");
  }
}
