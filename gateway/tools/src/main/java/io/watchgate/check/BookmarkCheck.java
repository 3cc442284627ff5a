package io.watchgate.check;

import io.watchgate.check.ClientState.Holding;
import java.util.List;
import java.util.Optional;

/** Check of {@link Promise#BOOKMARKABLE}, at each position and not only at the end. */
final class BookmarkCheck {
  private BookmarkCheck() {}

  static void judge(AnalyzedSession examined, Findings findings) {
    ClientState.replay(
        examined,
        (event, before, passage) -> {},
        (reached, held, differing) -> {
          if (examined.filteredTruth().knows(reached.to())) {
            judge(reached, held, differing, examined.filteredTruth(), findings);
          }
        });
  }

  private static void judge(
      Segment.Reached reached,
      ClientState held,
      List<RecordedKey> differing,
      FilteredTruth selected,
      Findings findings) {
    findings.expect(
        differing.isEmpty(),
        reached.heard(),
        () -> {
          RecordedKey key = differing.getFirst();
          return "at position %s there is %s %s, but applying what was sent gives %s"
              .formatted(reached.to(), key, text(held.expected(key)), text(held.of(key)));
        },
        () ->
            selected.between(reached.from(), reached.to()).stream()
                .filter(one -> differing.contains(one.state().key()))
                .map(FilteredTruth.Transition::toString)
                .toList());
  }

  private static String text(Optional<Holding> one) {
    return one.map(Holding::toString).orElse("absent");
  }
}
