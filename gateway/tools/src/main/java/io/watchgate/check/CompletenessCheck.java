package io.watchgate.check;

import io.watchgate.check.FilteredTruth.Transition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** Check of {@link Promise#COMPLETE}. */
final class CompletenessCheck {
  private CompletenessCheck() {}

  static void judge(AnalyzedSession analyzed, Findings findings) {
    for (Segment segment : analyzed.segments()) {
      if (!analyzed.filteredTruth().knows(segment.from())) {
        continue;
      }
      switch (segment) {
        case Segment.Changes changes -> {
          if (analyzed.hasEachChange()) {
            judgeEach(changes, analyzed.filteredTruth(), findings);
          } else {
            judgeNet(changes, analyzed.filteredTruth(), findings);
          }
        }
        case Segment.NetEffect effect -> judgeNet(effect, analyzed.filteredTruth(), findings);
        case Segment.Snapshot _, Segment.Unfinished _ -> {}
      }
    }
  }

  static void judgeEach(Segment.Reached segment, FilteredTruth truth, Findings findings) {
    Set<CheckedVersion> sent =
        segment.events().stream().map(RecordedEvent::version).collect(Collectors.toSet());
    for (Transition one : truth.between(segment.from(), segment.to())) {
      findings.expect(
          sent.contains(one.version()),
          segment.messageIndex(),
          () -> "%s was not sent before position %s".formatted(one, segment.to()));
    }
  }

  /** Expects an event for each object whose state at the end differs from that at the beginning. */
  private static void judgeNet(Segment.Reached segment, FilteredTruth truth, Findings findings) {
    Set<RecordedKey> sent =
        segment.events().stream().map(RecordedEvent::key).collect(Collectors.toSet());
    Map<RecordedKey, Transition> first = new LinkedHashMap<>();
    Map<RecordedKey, Transition> last = new LinkedHashMap<>();
    List<Transition> between = truth.between(segment.from(), segment.to());
    for (Transition one : between) {
      first.putIfAbsent(one.state().key(), one);
      last.put(one.state().key(), one);
    }
    first.forEach(
        (key, begun) -> {
          Transition ended = Objects.requireNonNull(last.get(key));
          boolean createdAndDeleted =
              begun.before().isEmpty() && ended.kind() == RecordedKind.DELETED;
          findings.expect(
              createdAndDeleted || sent.contains(key),
              segment.messageIndex(),
              () -> "no event was sent for %s up to position %s".formatted(ended, segment.to()),
              () -> describe(between, key));
        });
  }

  private static List<String> describe(List<Transition> all, RecordedKey key) {
    return all.stream()
        .filter(one -> one.state().key().equals(key))
        .map(Transition::toString)
        .toList();
  }
}
