package io.watchgate.check;

import io.watchgate.check.Held.Holding;
import java.util.List;
import java.util.Optional;

/** {@link Promise#CONFLATION}. */
final class Conflation implements Check {
  @Override
  public Promise promise() {
    return Promise.CONFLATION;
  }

  @Override
  public void judge(Examined examined, Findings findings) {
    Held held = new Held(examined);
    for (Passage passage : examined.passages()) {
      if (passage instanceof Passage.Snapshot) {
        held.clear();
      }
      boolean replaces = examined.replaces(passage);
      for (Event event : passage.events()) {
        if (replaces) {
          judge(event, held.of(event.key()), passage, findings);
        }
        held.apply(event);
      }
      if (passage instanceof Passage.Reached reached) {
        List<Key> _ = held.reach(reached.to());
      }
    }
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
