package io.watchgate.check;

import io.watchgate.check.ClientState.Holding;
import io.watchgate.check.FilteredTruth.Transition;
import io.watchgate.check.RecordedEvent.Removal;
import java.util.Optional;

/** Check of {@link Promise#FILTERED}. */
final class FilterCheck {
  private FilterCheck() {}

  static void judge(AnalyzedSession analyzed, Findings findings) {
    ClientState.replay(
        analyzed,
        (event, before, segment) -> {
          if (!analyzed.canJudge(event, segment)) {
            return;
          }
          judgeKind(event, before, segment, findings);
          if (!(segment instanceof Segment.Snapshot)) {
            judgeOrigin(event, segment, analyzed, findings);
          }
        },
        (reached, held, differing) -> {});
  }

  /**
   * Expects ADDED only for objects that the client does not hold, all other kinds only for objects
   * that it holds.
   */
  private static void judgeKind(
      RecordedEvent event, Optional<Holding> before, Segment segment, Findings findings) {
    boolean fits =
        switch (event.kind()) {
          case ADDED -> before.isEmpty();
          case MODIFIED, DELETED -> before.map(Holding::uid).equals(Optional.of(event.uid()));
        };
    findings.expect(
        fits,
        segment.messageIndex(),
        () ->
            "%s, while %s"
                .formatted(
                    event, before.map(one -> one + " is held").orElse("no such object is held")));
    findings.expect(
        (event.kind() == RecordedKind.DELETED) == (event.removal() != Removal.NONE),
        segment.messageIndex(),
        () ->
            "%s: a removal reason is missing on DELETED, or present on another kind"
                .formatted(event));
  }

  private static void judgeOrigin(
      RecordedEvent event, Segment segment, AnalyzedSession analyzed, Findings findings) {
    FilteredTruth truth = analyzed.filteredTruth();
    if (!analyzed.canReplaceChanges(segment)) {
      Optional<Transition> really = truth.transition(event.version());
      findings.expect(
          really.filter(one -> isSame(one, event)).isPresent(),
          segment.messageIndex(),
          () -> "%s, where upstream had %s".formatted(event, describe(really)));
    } else if (event.kind() != RecordedKind.DELETED) {
      findings.expect(
          truth.state(event.key(), event.version()).isPresent(),
          segment.messageIndex(),
          () -> "%s does not match in that version".formatted(event));
    } else if (event.removal() == Removal.NO_LONGER_MATCHES) {
      findings.expect(
          truth.between(segment.from(), event.version()).stream()
              .anyMatch(
                  one ->
                      one.removal() == Removal.NO_LONGER_MATCHES
                          && one.state().uid().equals(event.uid())),
          segment.messageIndex(),
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
