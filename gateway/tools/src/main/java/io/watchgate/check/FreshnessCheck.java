package io.watchgate.check;

import io.watchgate.check.FilteredTruth.Transition;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Check of {@link Promise#FRESH}. */
final class FreshnessCheck {
  private FreshnessCheck() {}

  static void judge(AnalyzedSession analyzed, Findings findings) {
    List<RecordedMessage> messages = analyzed.session().messages();
    for (Segment segment : analyzed.segments()) {
      if (segment instanceof Segment.Reached reached
          && analyzed.filteredTruth().knows(reached.to())
          && messages.get(reached.messageIndex()) instanceof RecordedMessage.Response response
          && response.signal() instanceof RecordedSignal.Bookmark bookmark) {
        bookmark
            .verifiedAt()
            .ifPresent(verified -> judge(reached, verified, analyzed.filteredTruth(), findings));
      }
    }
  }

  private static void judge(
      Segment.Reached reached, Instant verified, FilteredTruth truth, Findings findings) {
    Optional<Transition> next = truth.firstAfter(reached.to());
    findings.expect(
        next.isEmpty() || !next.get().knownBy().isBefore(verified),
        reached.messageIndex(),
        () ->
            "a bookmark claims to be complete at %s, but lacks a change known at %s"
                .formatted(verified, next.orElseThrow().knownBy()),
        () -> next.stream().map(Transition::toString).toList());
  }
}
