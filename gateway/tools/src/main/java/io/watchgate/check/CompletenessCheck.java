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

  static void judge(AnalyzedSession examined, Findings findings) {
    for (Segment passage : examined.segments()) {
      if (!examined.filteredTruth().knows(passage.from())) {
        continue;
      }
      switch (passage) {
        case Segment.Changes changes -> {
          if (examined.hasEachChange()) {
            judgeEach(changes, examined.filteredTruth(), findings);
          } else {
            judgeNet(changes, examined.filteredTruth(), findings);
          }
        }
        case Segment.NetEffect effect -> judgeNet(effect, examined.filteredTruth(), findings);
        case Segment.Snapshot _, Segment.Cut _ -> {}
      }
    }
  }

  static void judgeEach(Segment.Reached passage, FilteredTruth selected, Findings findings) {
    Set<CheckedVersion> sent =
        passage.events().stream().map(RecordedEvent::version).collect(Collectors.toSet());
    for (Transition one : selected.between(passage.from(), passage.to())) {
      findings.expect(
          sent.contains(one.version()),
          passage.heard(),
          () -> "%s was not sent before position %s".formatted(one, passage.to()));
    }
  }

  /** Expects an event for each object whose state at the end differs from that at the beginning. */
  private static void judgeNet(Segment.Reached passage, FilteredTruth selected, Findings findings) {
    Set<RecordedKey> sent =
        passage.events().stream().map(RecordedEvent::key).collect(Collectors.toSet());
    Map<RecordedKey, Transition> first = new LinkedHashMap<>();
    Map<RecordedKey, Transition> last = new LinkedHashMap<>();
    List<Transition> between = selected.between(passage.from(), passage.to());
    for (Transition one : between) {
      first.putIfAbsent(one.state().key(), one);
      last.put(one.state().key(), one);
    }
    first.forEach(
        (key, begun) -> {
          Transition ended = Objects.requireNonNull(last.get(key));
          boolean cameAndWent = begun.before().isEmpty() && ended.kind() == RecordedKind.DELETED;
          findings.expect(
              cameAndWent || sent.contains(key),
              passage.heard(),
              () -> "no event was sent for %s up to position %s".formatted(ended, passage.to()),
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
