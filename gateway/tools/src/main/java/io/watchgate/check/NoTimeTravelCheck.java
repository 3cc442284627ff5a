package io.watchgate.check;

/** Check of {@link Promise#NO_TIME_TRAVEL}. */
final class NoTimeTravelCheck {
  private NoTimeTravelCheck() {}

  static void judge(AnalyzedSession analyzed, Findings findings) {
    CheckedVersion start = analyzed.session().request().start().floor();
    CheckedVersion minimum = analyzed.session().request().minimumVersion();
    CheckedVersion floor = start.isAfter(minimum) ? start : minimum;
    for (Segment segment : analyzed.segments()) {
      if (segment instanceof Segment.Reached reached) {
        findings.expect(
            !floor.isAfter(reached.to()),
            reached.messageIndex(),
            () ->
                "position %s, on a stream opened with %s, to be at %s at least"
                    .formatted(reached.to(), start, minimum));
      }
    }
  }
}
