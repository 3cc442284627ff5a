package io.watchgate.cache;

import static io.watchgate.cache.ScriptedUpstream.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of the reaction to watch events that contradict the cached state. */
final class ReflectorContradictionTest extends ReflectorScript {
  static Stream<Arguments> contradictions() {
    return Stream.of(
        arguments("order", play(sink -> send(sink, Upstream.EventType.MODIFIED, A.at(3)))),
        arguments("order", play(sink -> send(sink, Upstream.EventType.DELETED, B.at(9)))),
        arguments(
            "order", play(sink -> send(sink, Upstream.EventType.DELETED, B.uid("other").at(12)))));
  }

  private static Play play(Play play) {
    return play;
  }

  /** Events of a watch. */
  interface Play {
    void to(Upstream.WatchSink sink);
  }

  @ParameterizedTest
  @MethodSource("contradictions")
  void contradictingEvent_causesList(String reason, Play play) {
    listed()
        .watch(
            sink -> {
              play.to(sink);
              throw new AssertionError("it was taken");
            })
        .list(20, A.at(15));

    assertThat(afterTheList()).containsExactly("watch 10", "wait 0", "list", "watch 20");
    assertThat(listedFor).containsExactly("initial", reason);
    assertThat(head().kind()).isEqualTo(Revision.Kind.RELIST);
  }

  /** A lagging server or a restored cluster sends such a bookmark. */
  @Test
  void bookmarkThatWentBack_isProbed() {
    listed()
        .watch(
            sink -> {
              sink.bookmark("9", Upstream.BookmarkKind.PROGRESS);
              throw new AssertionError("it was taken");
            })
        .probe(new Upstream.Listed("10"));

    assertThat(afterTheList())
        .containsExactly("watch 10", "wait 0", "probe", "list metadata at 10", "watch 10");
    assertThat(listedFor).containsExactly("initial");
  }

  @Test
  void knownEvent_isDropped() {
    listed()
        .watch(
            sink -> {
              send(sink, Upstream.EventType.MODIFIED, A.at(11));
              send(sink, Upstream.EventType.MODIFIED, A.at(11));
              send(sink, Upstream.EventType.DELETED, B.at(12));
              send(sink, Upstream.EventType.DELETED, B.at(12));
              return new Upstream.WatchOutcome(null);
            });

    assertThat(afterTheList()).containsExactly("watch 10", "probe", "watch 11");
    assertThat(head().events()).isEqualTo(4);
  }

  @Test
  void eventWithoutIdentity_isRequestedAgain() {
    listed()
        .watch(
            sink -> {
              sink.event(Upstream.EventType.ADDED, new byte[] {'{', '}'}, 0, 2);
              throw new AssertionError("it was taken");
            });

    assertThat(afterTheList())
        .containsExactly("watch 10", "wait 0", "probe", "list metadata at 10", "watch 10");
    assertThat(head().state().size()).isEqualTo(2);
  }

  @Test
  void recreationWithoutDelete_isDeleteAndAdd() {
    listed()
        .watch(
            sink -> {
              send(sink, Upstream.EventType.ADDED, A.uid("other").at(11));
              return new Upstream.WatchOutcome(null);
            });

    run();

    assertThat(head().changes())
        .extracting(change -> change.old() != null, change -> change.now() != null)
        .containsExactly(tuple(true, false), tuple(false, true));
  }

  @Test
  void deleteOfUnknownObject_onlyAdvancesPosition() {
    listed()
        .watch(
            sink -> {
              send(sink, Upstream.EventType.DELETED, SampleObject.of("n", "c", 5).at(12));
              return new Upstream.WatchOutcome(null);
            });

    assertThat(afterTheList()).containsExactly("watch 10", "probe", "watch 12");
    assertThat(head().state().size()).isEqualTo(2);
    assertThat(head().changes()).isEmpty();
  }

  @Test
  void addOfCachedObject_isChange() {
    listed()
        .watch(
            sink -> {
              send(sink, Upstream.EventType.ADDED, A.at(11));
              return new Upstream.WatchOutcome(null);
            });

    assertThat(afterTheList()).containsExactly("watch 10", "probe", "watch 11");
    assertThat(head().state().size()).isEqualTo(2);
    assertThat(head().changes())
        .extracting(change -> change.old() != null, change -> change.now() != null)
        .containsExactly(tuple(true, true));
  }
}
