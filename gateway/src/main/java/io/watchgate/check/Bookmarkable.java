package io.watchgate.check;

import io.watchgate.check.Held.Holding;
import java.util.List;
import java.util.Optional;

/** {@link Promise#BOOKMARKABLE}: at each position, not only at the end. */
final class Bookmarkable implements Check {
  @Override
  public Promise promise() {
    return Promise.BOOKMARKABLE;
  }

  @Override
  public void judge(Examined examined, Findings findings) {
    Held.walk(
        examined,
        (event, before, passage) -> {},
        (reached, held, differing) -> {
          if (examined.selected().knows(reached.to())) {
            judge(reached, held, differing, examined.selected(), findings);
          }
        });
  }

  private static void judge(
      Passage.Reached reached,
      Held held,
      List<Key> differing,
      Selected selected,
      Findings findings) {
    findings.expect(
        differing.isEmpty(),
        reached.heard(),
        () -> {
          Key key = differing.getFirst();
          return "at position %s there is %s %s, but applying what was sent gives %s"
              .formatted(reached.to(), key, text(held.expected(key)), text(held.of(key)));
        },
        () ->
            selected.between(reached.from(), reached.to()).stream()
                .filter(one -> differing.contains(one.state().key()))
                .map(Selected.Transition::toString)
                .toList());
  }

  private static String text(Optional<Holding> one) {
    return one.map(Holding::toString).orElse("absent");
  }
}
