package io.watchgate.check;

/** Check of {@link Promise#NO_TIME_TRAVEL}. */
final class NoTimeTravelCheck {
  private NoTimeTravelCheck() {}

  static void judge(AnalyzedSession examined, Findings findings) {
    CheckedVersion start = examined.session().request().start().floor();
    CheckedVersion minimum = examined.session().request().minimumVersion();
    CheckedVersion floor = start.isAfter(minimum) ? start : minimum;
    for (Segment passage : examined.segments()) {
      if (passage instanceof Segment.Reached reached) {
        findings.expect(
            !floor.isAfter(reached.to()),
            reached.heard(),
            () ->
                "position %s, on a stream opened with %s, to be at %s at least"
                    .formatted(reached.to(), start, minimum));
      }
    }
  }
}
