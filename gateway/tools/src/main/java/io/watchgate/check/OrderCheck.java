package io.watchgate.check;

/** Check of {@link Promise#ORDERED}. Versions inside a group are not ordered. */
final class OrderCheck {
  private OrderCheck() {}

  static void judge(AnalyzedSession analyzed, Findings findings) {
    for (Segment segment : analyzed.segments()) {
      if (segment instanceof Segment.Reached reached) {
        judgePosition(reached, findings);
      }
      boolean oneByOne =
          switch (segment) {
            case Segment.Changes _, Segment.Unfinished _ -> analyzed.hasEachChange();
            case Segment.NetEffect _, Segment.Snapshot _ -> false;
          };
      if (oneByOne) {
        judgeEvents(segment, findings);
      }
    }
  }

  private static void judgePosition(Segment.Reached reached, Findings findings) {
    findings.expect(
        !reached.from().isAfter(reached.to()),
        reached.messageIndex(),
        () -> "position %s after %s".formatted(reached.to(), reached.from()));
    for (RecordedEvent event : reached.events()) {
      findings.expect(
          !event.version().isAfter(reached.to()),
          reached.messageIndex(),
          () -> "%s is ahead of position %s".formatted(event, reached.to()));
    }
  }

  private static void judgeEvents(Segment segment, Findings findings) {
    CheckedVersion last = CheckedVersion.NONE;
    for (RecordedEvent event : segment.events()) {
      CheckedVersion before = last;
      findings.expect(
          !before.isAfter(event.version()),
          segment.messageIndex(),
          () -> "%s comes after a change of version %s".formatted(event, before));
      last = event.version();
    }
  }
}
