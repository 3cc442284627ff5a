package io.watchgate.check;

import io.watchgate.check.Event.Removal;
import io.watchgate.check.Held.Holding;
import io.watchgate.check.Selected.Transition;
import java.util.Optional;

/** {@link Promise#FILTERED}. */
final class Filtered implements Check {
  @Override
  public Promise promise() {
    return Promise.FILTERED;
  }

  @Override
  public void judge(Examined examined, Findings findings) {
    Held.walk(
        examined,
        (event, before, passage) -> {
          judgeStep(event, before, passage, findings);
          if (!(passage instanceof Passage.Snapshot)) {
            judgeOrigin(event, passage, examined, findings);
          }
        },
        (reached, held, differing) -> {});
  }

  /** Only what is not held is ADDED, only what is held is anything else. */
  private static void judgeStep(
      Event event, Optional<Holding> held, Passage passage, Findings findings) {
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
        (event.kind() == Kind.DELETED) == (event.removal() != Removal.NONE),
        passage.heard(),
        () -> "%s: what is DELETED has a reason, and nothing else".formatted(event));
  }

  private static void judgeOrigin(
      Event event, Passage passage, Examined examined, Findings findings) {
    Selected selected = examined.selected();
    if (!examined.replaces(passage)) {
      Optional<Transition> really = selected.transition(event.version());
      findings.expect(
          really.filter(one -> isSame(one, event)).isPresent(),
          passage.heard(),
          () -> "%s, where upstream had %s".formatted(event, said(really)));
    } else if (event.kind() != Kind.DELETED) {
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
          () -> "%s, which never left up to that version".formatted(event));
    }
  }

  private static boolean isSame(Transition one, Event event) {
    return one.kind() == event.kind()
        && one.removal() == event.removal()
        && one.state().key().equals(event.key())
        && one.state().uid().equals(event.uid());
  }

  private static String said(Optional<Transition> really) {
    return really.map(Transition::toString).orElse("nothing that concerns the selection");
  }
}
