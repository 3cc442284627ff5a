package io.watchgate.check;

/** {@link Promise#ORDERED}. Inside a group, versions have no order. */
final class Ordered implements Check {
  @Override
  public Promise promise() {
    return Promise.ORDERED;
  }

  @Override
  public void judge(Examined examined, Findings findings) {
    for (Passage passage : examined.passages()) {
      if (passage instanceof Passage.Reached reached) {
        judgePosition(reached, findings);
      }
      boolean oneByOne =
          switch (passage) {
            case Passage.Changes _, Passage.Cut _ -> examined.isSentEachChange();
            case Passage.NetEffect _, Passage.Snapshot _ -> false;
          };
      if (oneByOne) {
        judgeEvents(passage, findings);
      }
    }
  }

  private static void judgePosition(Passage.Reached reached, Findings findings) {
    findings.expect(
        !reached.from().isAfter(reached.to()),
        reached.heard(),
        () -> "position %s after %s".formatted(reached.to(), reached.from()));
    for (Event event : reached.events()) {
      findings.expect(
          !event.version().isAfter(reached.to()),
          reached.heard(),
          () -> "%s is ahead of position %s".formatted(event, reached.to()));
    }
  }

  private static void judgeEvents(Passage passage, Findings findings) {
    Version last = Version.NONE;
    for (Event event : passage.events()) {
      Version before = last;
      findings.expect(
          !before.isAfter(event.version()),
          passage.heard(),
          () -> "%s comes after a change of version %s".formatted(event, before));
      last = event.version();
    }
  }
}
