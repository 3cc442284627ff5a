package io.watchgate.check;

import io.watchgate.check.Selected.Transition;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** {@link Promise#FRESH}. */
final class Fresh implements Check {
  @Override
  public Promise promise() {
    return Promise.FRESH;
  }

  @Override
  public void judge(Examined examined, Findings findings) {
    List<Heard> heard = examined.session().heard();
    for (Passage passage : examined.passages()) {
      if (passage instanceof Passage.Reached reached
          && examined.selected().knows(reached.to())
          && heard.get(reached.heard()) instanceof Heard.Response response
          && response.signal() instanceof Signal.Bookmark bookmark) {
        bookmark
            .verifiedAt()
            .ifPresent(verified -> judge(reached, verified, examined.selected(), findings));
      }
    }
  }

  private static void judge(
      Passage.Reached reached, Instant verified, Selected selected, Findings findings) {
    Optional<Transition> next = selected.firstAfter(reached.to());
    findings.expect(
        next.isEmpty() || !next.get().by().isBefore(verified),
        reached.heard(),
        () ->
            "a bookmark says that nothing was missing at %s; a change was to be known at %s"
                .formatted(verified, next.orElseThrow().by()),
        () -> next.stream().map(Transition::toString).toList());
  }
}
