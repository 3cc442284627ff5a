package io.watchgate.check;

import io.watchgate.check.FilteredTruth.Transition;
import io.watchgate.check.RecordedEvent.Body;
import io.watchgate.check.RecordedEvent.Removal;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Check of {@link Promise#CONTENT}. */
final class ContentCheck {
  private ContentCheck() {}

  static void judge(AnalyzedSession examined, Findings findings) {
    for (Segment passage : examined.segments()) {
      for (RecordedEvent event : passage.events()) {
        switch (event.body()) {
          case Body.Broken broken ->
              findings.expect(false, passage.heard(), () -> event + ": " + broken.reason());
          case Body.Absent absent ->
              findings.expect(
                  absent == Body.Absent.OMITTED
                      || examined.session().request().projection().equals(ProjectionSpec.KEY),
                  passage.heard(),
                  () -> event + " has no object");
          case Body.Content content -> judge(event, content, passage, examined, findings);
        }
      }
    }
  }

  private static void judge(
      RecordedEvent event,
      Body.Content content,
      Segment passage,
      AnalyzedSession examined,
      Findings findings) {
    findings.expect(
        content.version().equals(event.version()),
        passage.heard(),
        () -> "%s carries an object of version %s".formatted(event, content.version()));
    if (!examined.canJudge(event, passage)) {
      return;
    }
    Set<String> possible = possibleDigests(event, passage, examined);
    findings.expect(
        possible.contains(content.digest()),
        passage.heard(),
        () -> event + " carries another object than upstream had");
  }

  private static Set<String> possibleDigests(
      RecordedEvent event, Segment passage, AnalyzedSession examined) {
    ProjectionSpec shape = examined.session().request().projection();
    Set<String> digests = new HashSet<>();
    for (RecordedState state : possibleStates(event, passage, examined)) {
      Optional.ofNullable(state.contents().get(shape)).ifPresent(digests::add);
    }
    return digests;
  }

  /**
   * Returns the states that an event may contain. A DELETED event contains the last matching state;
   * for a deleted object, the apiserver itself may send the state in which it was deleted. An event
   * that replaces several changes may contain the state of any of them.
   */
  private static List<RecordedState> possibleStates(
      RecordedEvent event, Segment passage, AnalyzedSession examined) {
    FilteredTruth selected = examined.filteredTruth();
    if (event.kind() != RecordedKind.DELETED) {
      return selected.state(event.key(), event.version()).stream().toList();
    }
    if (examined.canReplaceChanges(passage)) {
      return selected.statesOf(event.uid()).stream()
          .filter(state -> !state.version().isAfter(event.version()))
          .toList();
    }
    return selected.transition(event.version()).stream()
        .flatMap(ContentCheck::ending)
        .filter(state -> state.uid().equals(event.uid()))
        .toList();
  }

  private static Stream<RecordedState> ending(Transition one) {
    return Stream.concat(
        one.before().stream(),
        one.removal() == Removal.OBJECT_DELETED ? Stream.of(one.state()) : Stream.empty());
  }
}
