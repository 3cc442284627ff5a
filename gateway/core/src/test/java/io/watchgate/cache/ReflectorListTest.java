package io.watchgate.cache;

import static io.watchgate.cache.ScriptedUpstream.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of the reaction to each outcome of a list, and of the ends of a reflector. */
final class ReflectorListTest extends ReflectorScript {
  static Stream<UpstreamFailure> failuresOfAList() {
    return ReflectorWatchTest.failuresOfAWatch()
        .map(row -> (UpstreamFailure) row.get()[0])
        .filter(failure -> !(failure instanceof UpstreamFailure.Unsupported));
  }

  @ParameterizedTest
  @MethodSource("failuresOfAList")
  void incompleteList_isNotPublished(UpstreamFailure failure) {
    upstream
        .listing(
            sink -> {
              sink.item(A.bytes());
              return new Upstream.ListFailed(failure);
            })
        .list(10, A, B);

    List<String> asked = run();

    assertThat(states).contains(new UpstreamState(UpstreamState.ReflectorPhase.LOADING, failure));
    assertThat(asked).filteredOn(step -> step.startsWith("wait")).hasSizeGreaterThan(0);
    assertThat(asked).endsWith("list", "watch 10");
    assertThat(oldest().state().size()).isEqualTo(2);
  }

  @Test
  void relist_isGapAndKeepsUnchangedObjects() {
    listed().watch(new UpstreamFailure.Expired("x")).list(20, A, SampleObject.of("n", "c", 15));

    run();

    Revision first = oldest();
    Revision second = head();
    assertThat(first.next()).isSameAs(second);
    assertThat(second.kind()).isEqualTo(Revision.Kind.RELIST);
    assertThat(second.state().get(A.view().key())).isSameAs(first.state().get(A.view().key()));
    assertThat(listedFor).containsExactly("initial", "expired");
  }

  @Test
  void list_isVerifiedAsOfItsRequest() {
    assertThat(CacheWriter.verifiedAt(cache)).isNull();
    upstream.listing(
        sink -> {
          time.advance(Duration.ofSeconds(7));
          return new Upstream.Listed("10");
        });
    upstream.watch(
        sink -> {
          assertThat(Duration.ofNanos(cache.proofs().stalenessNanos())).hasSeconds(7);
          assertThat(CacheWriter.verifiedAt(cache)).isNotNull();
          return lasting(Duration.ofMinutes(1));
        });

    assertThat(run()).contains("watch 10");
  }

  @Test
  void streamingList_isUsedIfSupported() {
    upstream.streamingList(
        sink -> {
          send(sink, Upstream.EventType.ADDED, A);
          assertThat(cache.head()).isNull();
          sink.bookmark("10", Upstream.BookmarkKind.INITIAL_EVENTS_END);
          assertThat(head().state().size()).isEqualTo(1);
          send(sink, Upstream.EventType.ADDED, B.at(11));
          send(sink, Upstream.EventType.DELETED, A.at(12));
          return new Upstream.WatchOutcome(null);
        });

    assertThat(run()).containsExactly("streaming list", "probe", "watch 11");
    assertThat(head().state().size()).isEqualTo(1);
    assertThat(head().state().get(A.view().key())).isNull();
  }

  @Test
  void streamingListWithoutMarker_isUnsupported() {
    upstream
        .streamingList(
            sink -> {
              send(sink, Upstream.EventType.ADDED, A);
              return new Upstream.WatchOutcome(null);
            })
        .list(10, B);

    assertThat(run()).containsExactly("streaming list", "list", "watch 10");
    assertThat(head().state().get(A.view().key())).isNull();
  }

  /** Some servers that store their state elsewhere than in etcd fail like this. */
  @Test
  void failingStreamingLists_fallBackToPagedList() {
    for (int i = 0; i < 3; i++) {
      upstream.streamingList(
          sink ->
              new Upstream.WatchOutcome(
                  new UpstreamFailure.NotYetReached("Too large resource version", Duration.ZERO)));
    }
    upstream.list(10, A);

    assertThat(run())
        .filteredOn(step -> !step.startsWith("wait"))
        .containsExactly("streaming list", "streaming list", "streaming list", "list", "watch 10");
  }

  /** A schema with another default: the object differs without a write. */
  @Test
  void changedContentAtSameVersion_replacesCachedObject() {
    SampleObject defaulted = A.padding(7);
    listed().watch(new UpstreamFailure.Expired("x")).list(20, defaulted, B);

    run();

    assertThat(head().kind()).isEqualTo(Revision.Kind.RELIST);
    assertThat(head().digest()).isEqualTo(oldest().digest());
    assertThat(Objects.requireNonNull(head().state().get(A.view().key())).bytes())
        .isEqualTo(defaulted.bytes());
    assertThat(head().state().get(B.view().key())).isSameAs(oldest().state().get(B.view().key()));
  }

  @Test
  void streamingList_isRetriedAfterAnHour() {
    listed()
        .watch(
            sink -> {
              time.advance(Duration.ofMinutes(61));
              return new Upstream.WatchOutcome(new UpstreamFailure.Expired("x"));
            })
        .list(20, A);

    assertThat(afterTheList()).containsExactly("watch 10", "streaming list", "list", "watch 20");
  }

  // ---- ends

  static Stream<Arguments> ends() {
    TypeDefinition other =
        new TypeDefinition(
            CacheWriter.TYPE, "configmap", List.of(), List.of("list", "watch"), "uid-2", List.of());
    UnaryOperator<ScriptedUpstream> gone =
        script -> script.list(10, A).watch(new UpstreamFailure.TypeGone("x"));
    return Stream.of(
        arguments(
            UpstreamState.ReflectorPhase.GONE,
            (UnaryOperator<ScriptedUpstream>)
                script -> gone.apply(script).defined(new Cluster.Unknown(List.of()))),
        arguments(
            UpstreamState.ReflectorPhase.REDEFINED,
            (UnaryOperator<ScriptedUpstream>)
                script -> gone.apply(script).defined(new Cluster.Found(other))),
        arguments(
            UpstreamState.ReflectorPhase.UNORDERED,
            (UnaryOperator<ScriptedUpstream>)
                script -> script.listing(sink -> new Upstream.Listed("abc"))),
        arguments(
            UpstreamState.ReflectorPhase.UNORDERED,
            (UnaryOperator<ScriptedUpstream>)
                script -> script.listing(sink -> new Upstream.Listed(""))),
        arguments(
            UpstreamState.ReflectorPhase.UNORDERED,
            (UnaryOperator<ScriptedUpstream>) script -> script.list(10, A.at(""), B.at("x"))),
        arguments(
            UpstreamState.ReflectorPhase.TOO_LARGE,
            (UnaryOperator<ScriptedUpstream>) script -> script.list(10, A.padding(40_000))),
        arguments(
            UpstreamState.ReflectorPhase.CLOSED,
            (UnaryOperator<ScriptedUpstream>)
                script ->
                    script.listing(
                        sink -> {
                          throw new IllegalStateException("a bug");
                        })));
  }

  @ParameterizedTest
  @MethodSource("ends")
  void end_isPublishedAndNothingFollows(
      UpstreamState.ReflectorPhase phase, UnaryOperator<ScriptedUpstream> script) {
    settings = CacheSettings.forHeap(64 << 10);
    cache = cache();
    List<String> asked = script.apply(upstream).asked;

    run();

    assertThat(cache.upstreamState().phase()).isEqualTo(phase);
    assertThat(asked.getLast()).doesNotStartWith("wait");
    if (phase == UpstreamState.ReflectorPhase.TOO_LARGE) {
      assertThat(ends).endsWith("too_large");
    } else if (phase == UpstreamState.ReflectorPhase.UNORDERED) {
      assertThat(ends).endsWith("unordered");
    }
  }

  /** It would tell all clients to stop. */
  @Test
  void oneOddList_doesNotEndServedType() {
    listed()
        .watch(new UpstreamFailure.Expired("x"))
        .listing(sink -> new Upstream.Listed(""))
        .list(20, A);

    run();

    assertThat(states)
        .extracting(UpstreamState::phase)
        .doesNotContain(UpstreamState.ReflectorPhase.UNORDERED);
    assertThat(head().version()).isEqualTo(new ResourceVersion("20"));
  }

  @Test
  void failedDiscovery_provesNothing() {
    UpstreamFailure refused = new UpstreamFailure.Transport("refused");
    listed().watch(new UpstreamFailure.TypeGone("x")).defined(new Cluster.Unavailable(refused));

    assertThat(afterTheList())
        .containsExactly("watch 10", "discovery", "wait 0", "list metadata at 10", "watch 10");
    assertThat(states)
        .contains(new UpstreamState(UpstreamState.ReflectorPhase.DISCONNECTED, refused));
  }

  @Test
  void changedDetails_endNoStream() {
    TypeDefinition other =
        new TypeDefinition(
            new ApiResource("", "v1", "configmaps", "Map", ApiResource.Scope.NAMESPACED),
            "map",
            List.of("m"),
            List.of("watch", "list"),
            "",
            List.of());
    listed().watch(new UpstreamFailure.TypeGone("x")).defined(new Cluster.Found(other));

    assertThat(afterTheList())
        .containsExactly("watch 10", "discovery", "wait 0", "list metadata at 10", "watch 10");
    assertThat(states)
        .extracting(UpstreamState::phase)
        .doesNotContain(UpstreamState.ReflectorPhase.REDEFINED);
  }

  /** A server that has just started knows no custom types until it has read their definitions. */
  @Test
  void typeFoundBySecondDiscovery_continues() {
    listed()
        .watch(new UpstreamFailure.TypeGone("x"))
        .defined(new Cluster.Unknown(List.of()))
        .definedNext(new Cluster.Found(CacheWriter.DEFINITION));

    assertThat(afterTheList())
        .containsExactly(
            "watch 10",
            "discovery",
            "wait 1000",
            "discovery",
            "wait 0",
            "list metadata at 10",
            "watch 10");
  }
}
