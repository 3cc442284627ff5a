package io.watchgate.check;

import io.watchgate.check.ClientState.Holding;
import java.util.List;
import java.util.Optional;

/** Check of {@link Promise#BOOKMARKABLE}, at each position and not only at the end. */
final class BookmarkCheck {
  private BookmarkCheck() {}

  static void judge(AnalyzedSession analyzed, Findings findings) {
    ClientState.replay(
        analyzed,
        (event, before, segment) -> {},
        (reached, state, differing) -> {
          if (analyzed.filteredTruth().knows(reached.to())) {
            judge(reached, state, differing, analyzed.filteredTruth(), findings);
          }
        });
  }

  private static void judge(
      Segment.Reached reached,
      ClientState state,
      List<RecordedKey> differing,
      FilteredTruth truth,
      Findings findings) {
    findings.expect(
        differing.isEmpty(),
        reached.messageIndex(),
        () -> {
          RecordedKey key = differing.getFirst();
          return "at position %s there is %s %s, but applying what was sent gives %s"
              .formatted(reached.to(), key, text(state.expected(key)), text(state.of(key)));
        },
        () ->
            truth.between(reached.from(), reached.to()).stream()
                .filter(one -> differing.contains(one.state().key()))
                .map(FilteredTruth.Transition::toString)
                .toList());
  }

  private static String text(Optional<Holding> one) {
    return one.map(Holding::toString).orElse("absent");
  }
}
