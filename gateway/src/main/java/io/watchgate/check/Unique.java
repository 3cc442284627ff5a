package io.watchgate.check;

import java.util.HashSet;
import java.util.Set;

/** {@link Promise#UNIQUE}. */
final class Unique implements Check {
  private record Sent(Kind kind, String uid, Version version) {}

  @Override
  public Promise promise() {
    return Promise.UNIQUE;
  }

  @Override
  public void judge(Examined examined, Findings findings) {
    Set<Sent> sent = new HashSet<>();
    for (Passage passage : examined.passages()) {
      if (passage instanceof Passage.Snapshot) {
        continue;
      }
      for (Event event : passage.events()) {
        findings.expect(
            event.version().isAfter(passage.from()),
            passage.heard(),
            () -> "%s, though the position was %s".formatted(event, passage.from()));
        findings.expect(
            sent.add(new Sent(event.kind(), event.uid(), event.version())),
            passage.heard(),
            () -> "%s for the second time".formatted(event));
      }
    }
  }
}
