package io.watchgate.check;

import io.watchgate.check.Held.Holding;
import java.util.Optional;

/** {@link Promise#CONFLATION}. */
final class Conflation implements Check {
  @Override
  public Promise promise() {
    return Promise.CONFLATION;
  }

  @Override
  public void judge(Examined examined, Findings findings) {
    Held.walk(
        examined,
        (event, before, passage) -> {
          if (examined.replaces(passage)) {
            judge(event, before, passage, findings);
          }
        },
        (reached, held, differing) -> {});
  }

  private static void judge(
      Event event, Optional<Holding> held, Passage passage, Findings findings) {
    boolean merges =
        event.kind() != Kind.DELETED
            && held.filter(one -> !one.uid().equals(event.uid())).isPresent();
    findings.expect(
        !merges,
        passage.heard(),
        () -> "%s takes the place of another object, whose end was not sent".formatted(event));
  }
}
