package io.watchgate.check;

/** Check of {@link Promise#ORDERED}. Versions inside a group are not ordered. */
final class OrderCheck {
  private OrderCheck() {}

  static void judge(AnalyzedSession examined, Findings findings) {
    for (Segment passage : examined.segments()) {
      if (passage instanceof Segment.Reached reached) {
        judgePosition(reached, findings);
      }
      boolean oneByOne =
          switch (passage) {
            case Segment.Changes _, Segment.Cut _ -> examined.hasEachChange();
            case Segment.NetEffect _, Segment.Snapshot _ -> false;
          };
      if (oneByOne) {
        judgeEvents(passage, findings);
      }
    }
  }

  private static void judgePosition(Segment.Reached reached, Findings findings) {
    findings.expect(
        !reached.from().isAfter(reached.to()),
        reached.heard(),
        () -> "position %s after %s".formatted(reached.to(), reached.from()));
    for (RecordedEvent event : reached.events()) {
      findings.expect(
          !event.version().isAfter(reached.to()),
          reached.heard(),
          () -> "%s is ahead of position %s".formatted(event, reached.to()));
    }
  }

  private static void judgeEvents(Segment passage, Findings findings) {
    CheckedVersion last = CheckedVersion.NONE;
    for (RecordedEvent event : passage.events()) {
      CheckedVersion before = last;
      findings.expect(
          !before.isAfter(event.version()),
          passage.heard(),
          () -> "%s comes after a change of version %s".formatted(event, before));
      last = event.version();
    }
  }
}
