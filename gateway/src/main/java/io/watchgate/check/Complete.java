package io.watchgate.check;

import io.watchgate.check.Selected.Transition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** {@link Promise#COMPLETE}. */
final class Complete implements Check {
  @Override
  public Promise promise() {
    return Promise.COMPLETE;
  }

  @Override
  public void judge(Examined examined, Findings findings) {
    for (Passage passage : examined.passages()) {
      if (!examined.selected().knows(passage.from())) {
        continue;
      }
      switch (passage) {
        case Passage.Changes changes -> {
          if (examined.isSentEachChange()) {
            judgeEach(changes, examined.selected(), findings);
          } else {
            judgeNet(changes, examined.selected(), findings);
          }
        }
        case Passage.NetEffect effect -> judgeNet(effect, examined.selected(), findings);
        case Passage.Snapshot _, Passage.Cut _ -> {}
      }
    }
  }

  static void judgeEach(Passage.Reached passage, Selected selected, Findings findings) {
    Set<Version> sent = passage.events().stream().map(Event::version).collect(Collectors.toSet());
    for (Transition one : selected.between(passage.from(), passage.to())) {
      findings.expect(
          sent.contains(one.version()),
          passage.heard(),
          () -> "%s was not sent before position %s".formatted(one, passage.to()));
    }
  }

  /** Whatever is other at the end than it was at the beginning. */
  private static void judgeNet(Passage.Reached passage, Selected selected, Findings findings) {
    Set<Key> sent = passage.events().stream().map(Event::key).collect(Collectors.toSet());
    Map<Key, Transition> first = new LinkedHashMap<>();
    Map<Key, Transition> last = new LinkedHashMap<>();
    List<Transition> between = selected.between(passage.from(), passage.to());
    for (Transition one : between) {
      first.putIfAbsent(one.state().key(), one);
      last.put(one.state().key(), one);
    }
    first.forEach(
        (key, begun) -> {
          Transition ended = Objects.requireNonNull(last.get(key));
          boolean cameAndWent = begun.before().isEmpty() && ended.kind() == Kind.DELETED;
          findings.expect(
              cameAndWent || sent.contains(key),
              passage.heard(),
              () -> "%s is not in what came of it up to %s".formatted(ended, passage.to()),
              () -> describe(between, key));
        });
  }

  private static List<String> describe(List<Transition> all, Key key) {
    return all.stream()
        .filter(one -> one.state().key().equals(key))
        .map(Transition::toString)
        .toList();
  }
}
