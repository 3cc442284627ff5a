package io.watchgate.check;

import java.util.HashSet;
import java.util.Set;

/** Check of {@link Promise#UNIQUE}. */
final class UniquenessCheck {
  private record Sent(RecordedKind kind, String uid, CheckedVersion version) {}

  private UniquenessCheck() {}

  static void judge(AnalyzedSession analyzed, Findings findings) {
    Set<Sent> sent = new HashSet<>();
    for (Segment segment : analyzed.segments()) {
      if (segment instanceof Segment.Snapshot) {
        continue;
      }
      for (RecordedEvent event : segment.events()) {
        findings.expect(
            event.version().isAfter(segment.from()),
            segment.messageIndex(),
            () -> "%s, though the position was %s".formatted(event, segment.from()));
        findings.expect(
            sent.add(new Sent(event.kind(), event.uid(), event.version())),
            segment.messageIndex(),
            () -> "%s for the second time".formatted(event));
      }
    }
  }
}
