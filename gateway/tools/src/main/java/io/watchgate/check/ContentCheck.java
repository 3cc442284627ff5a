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

  static void judge(AnalyzedSession analyzed, Findings findings) {
    for (Segment segment : analyzed.segments()) {
      for (RecordedEvent event : segment.events()) {
        switch (event.body()) {
          case Body.Broken broken ->
              findings.expect(false, segment.messageIndex(), () -> event + ": " + broken.reason());
          case Body.Absent absent ->
              findings.expect(
                  absent == Body.Absent.OMITTED
                      || analyzed.session().request().projection().equals(ProjectionSpec.KEY),
                  segment.messageIndex(),
                  () -> event + " has no object");
          case Body.Content content -> judge(event, content, segment, analyzed, findings);
        }
      }
    }
  }

  private static void judge(
      RecordedEvent event,
      Body.Content content,
      Segment segment,
      AnalyzedSession analyzed,
      Findings findings) {
    findings.expect(
        content.version().equals(event.version()),
        segment.messageIndex(),
        () -> "%s carries an object of version %s".formatted(event, content.version()));
    if (!analyzed.canJudge(event, segment)) {
      return;
    }
    Set<String> possible = possibleDigests(event, segment, analyzed);
    findings.expect(
        possible.contains(content.digest()),
        segment.messageIndex(),
        () -> event + " carries another object than upstream had");
  }

  private static Set<String> possibleDigests(
      RecordedEvent event, Segment segment, AnalyzedSession analyzed) {
    ProjectionSpec projection = analyzed.session().request().projection();
    Set<String> digests = new HashSet<>();
    for (RecordedState state : possibleStates(event, segment, analyzed)) {
      Optional.ofNullable(state.contents().get(projection)).ifPresent(digests::add);
    }
    return digests;
  }

  /**
   * Returns the states that an event may contain. A DELETED event contains the last matching state;
   * for a deleted object, the apiserver itself may send the state in which it was deleted. An event
   * that replaces several changes may contain the state of any of them.
   */
  private static List<RecordedState> possibleStates(
      RecordedEvent event, Segment segment, AnalyzedSession analyzed) {
    FilteredTruth truth = analyzed.filteredTruth();
    if (event.kind() != RecordedKind.DELETED) {
      return truth.state(event.key(), event.version()).stream().toList();
    }
    if (analyzed.canReplaceChanges(segment)) {
      return truth.statesOf(event.uid()).stream()
          .filter(state -> !state.version().isAfter(event.version()))
          .toList();
    }
    return truth.transition(event.version()).stream()
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
