package io.watchgate.check;

import io.watchgate.check.FilteredTruth.Transition;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Check of {@link Promise#FRESH}. */
final class FreshnessCheck {
  private FreshnessCheck() {}

  static void judge(AnalyzedSession examined, Findings findings) {
    List<RecordedMessage> heard = examined.session().messages();
    for (Segment passage : examined.segments()) {
      if (passage instanceof Segment.Reached reached
          && examined.filteredTruth().knows(reached.to())
          && heard.get(reached.heard()) instanceof RecordedMessage.Response response
          && response.signal() instanceof RecordedSignal.Bookmark bookmark) {
        bookmark
            .verifiedAt()
            .ifPresent(verified -> judge(reached, verified, examined.filteredTruth(), findings));
      }
    }
  }

  private static void judge(
      Segment.Reached reached, Instant verified, FilteredTruth selected, Findings findings) {
    Optional<Transition> next = selected.firstAfter(reached.to());
    findings.expect(
        next.isEmpty() || !next.get().knownBy().isBefore(verified),
        reached.heard(),
        () ->
            "a bookmark says that nothing was missing at %s; a change was to be known at %s"
                .formatted(verified, next.orElseThrow().knownBy()),
        () -> next.stream().map(Transition::toString).toList());
  }
}
