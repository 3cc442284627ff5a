package io.watchgate.check;

import java.util.HashSet;
import java.util.Set;

/** Check of {@link Promise#UNIQUE}. */
final class UniquenessCheck {
  private record Sent(RecordedKind kind, String uid, CheckedVersion version) {}

  private UniquenessCheck() {}

  static void judge(AnalyzedSession examined, Findings findings) {
    Set<Sent> sent = new HashSet<>();
    for (Segment passage : examined.segments()) {
      if (passage instanceof Segment.Snapshot) {
        continue;
      }
      for (RecordedEvent event : passage.events()) {
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
