package io.watchgate.check;

/** {@link Promise#NO_TIME_TRAVEL}. */
final class NoTimeTravel implements Check {
  @Override
  public Promise promise() {
    return Promise.NO_TIME_TRAVEL;
  }

  @Override
  public void judge(Examined examined, Findings findings) {
    Version start = examined.session().start().floor();
    Version minimum = examined.session().minimum();
    Version floor = start.isAfter(minimum) ? start : minimum;
    for (Passage passage : examined.passages()) {
      if (passage instanceof Passage.Reached reached) {
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
