package io.watchgate.cache;

import static io.watchgate.cache.ScriptedUpstream.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** Tests of the reaction to each outcome of a watch. */
final class ReflectorWatchTest extends ReflectorScript {
  /** The state is compared before any newer change is applied. */
  private static final String PROOF = "list metadata at 10";

  static Stream<Arguments> failuresOfAWatch() {
    Duration two = Duration.ofSeconds(2);
    return Stream.of(
        arguments(
            new UpstreamFailure.Transport("x"), List.of("wait 0", "probe", PROOF, "watch 10")),
        arguments(
            new UpstreamFailure.Throttled("x", two),
            List.of("wait 2000", "probe", PROOF, "watch 10")),
        arguments(
            new UpstreamFailure.NotYetReached("x", two),
            List.of("wait 2000", "probe", PROOF, "watch 10")),
        arguments(
            new UpstreamFailure.ServerError("x", two),
            List.of("wait 2000", "probe", PROOF, "watch 10")),
        arguments(
            new UpstreamFailure.Unauthorized("x"), List.of("wait 0", "probe", PROOF, "watch 10")),
        arguments(
            new UpstreamFailure.Forbidden("x"), List.of("wait 0", "probe", PROOF, "watch 10")),
        arguments(
            new UpstreamFailure.Malformed("x"), List.of("wait 0", "probe", PROOF, "watch 10")),
        arguments(new UpstreamFailure.Expired("x"), List.of("list")),
        arguments(new UpstreamFailure.BadRequest("x"), List.of("wait 0", "list")),
        arguments(new UpstreamFailure.Unsupported("x"), List.of("list")),
        arguments(
            new UpstreamFailure.TypeGone("x"), List.of("discovery", "wait 0", PROOF, "watch 10")));
  }

  @ParameterizedTest
  @MethodSource("failuresOfAWatch")
  void watchFailure_hasItsReaction(UpstreamFailure failure, List<String> reaction) {
    listed().watch(failure);

    List<String> asked = afterTheList();

    assertThat(asked.getFirst()).isEqualTo("watch 10");
    assertThat(asked.subList(1, asked.size())).isEqualTo(reaction);
  }

  @ParameterizedTest
  @MethodSource("failuresOfAWatch")
  void waitingReflector_reportsFailureAndKeepsState(
      UpstreamFailure failure, List<String> reaction) {
    listed().watch(failure);

    run();

    UpstreamState waiting = new UpstreamState(UpstreamState.ReflectorPhase.DISCONNECTED, failure);
    if (reaction.stream().anyMatch(step -> step.startsWith("wait"))) {
      assertThat(states).contains(waiting);
    } else {
      assertThat(states).doesNotContain(waiting);
    }
    assertThat(head().state().size()).isEqualTo(2);
    assertThat(states.getLast().phase()).isEqualTo(UpstreamState.ReflectorPhase.CLOSED);
  }

  @Test
  void endedWatch_continuesAtOnce() {
    listed()
        .watch(sink -> lasting(Duration.ofMinutes(5)))
        .watch(
            sink -> {
              send(sink, Upstream.EventType.MODIFIED, A.at(12));
              return new Upstream.WatchOutcome(null);
            });

    assertThat(afterTheList())
        .containsExactly("watch 10", "probe", "watch 10", "probe", "watch 12");
  }

  /** The watch from a position that a restored cluster has not reached would be silent. */
  @Test
  void rollback_isNoticedAfterCleanWatchEnd() {
    listed()
        .watch(sink -> lasting(Duration.ofMinutes(5)))
        .probe(new Upstream.Listed("9"))
        .probe(new Upstream.Listed("9"))
        .list(9, A);

    assertThat(afterTheList())
        .containsExactly("watch 10", "probe", "reconnect", "wait 1000", "probe", "list", "watch 9");
    assertThat(head().kind()).isEqualTo(Revision.Kind.HISTORY_LOST);
    assertThat(listedFor).containsExactly("initial", "rollback");
  }

  @Test
  void emptyWatchThatEndsAtOnce_isFailure() {
    listed().watch(sink -> lasting(Duration.ofMillis(20)));

    assertThat(afterTheList()).containsExactly("watch 10", "wait 0", "probe", PROOF, "watch 10");
  }

  /** After a delete each watch brings it again. */
  @Test
  void watchThatBringsOnlyKnownDeleteAndEndsAtOnce_isFailure() {
    listed()
        .watch(
            sink -> {
              send(sink, Upstream.EventType.DELETED, A.at(20));
              return lasting(Duration.ofMinutes(5));
            })
        .watch(
            sink -> {
              send(sink, Upstream.EventType.DELETED, A.at(20));
              return lasting(Duration.ofMillis(20));
            });

    assertThat(afterTheList())
        .containsExactly(
            "watch 10", "probe", "watch 19", "wait 0", "probe", "list metadata at 20", "watch 20");
  }

  /**
   * An object that cannot be encoded has this effect: watches fail for minutes, and lists do not.
   */
  @Test
  void watchesFailingForMinutes_probesAnswered_causeList() {
    listed();
    for (int i = 0; i < 6; i++) {
      upstream.briefWatch(sink -> new Upstream.WatchOutcome(null));
    }
    for (int i = 0; i < 6; i++) {
      upstream
          .watch(new UpstreamFailure.ServerError("x", Duration.ofSeconds(30)))
          .probe(new Upstream.Listed("11"));
    }

    assertThat(afterTheList()).endsWith("watch 10", "wait 30000", "probe", "list");
    assertThat(upstream.asked).filteredOn("watch 10"::equals).hasSize(5);
    assertThat(listedFor).containsExactly("initial");
  }

  /** An etcd without a leader, an unavailable webhook: nothing was missed, so there is no gap. */
  @Test
  void watchesFailingBriefly_causeNoList() {
    listed();
    for (int i = 0; i < 9; i++) {
      upstream
          .watch(new UpstreamFailure.ServerError("etcdserver: leader changed", Duration.ZERO))
          .probe(new Upstream.Listed("11"))
          .briefWatch(sink -> new Upstream.WatchOutcome(null));
    }
    upstream.watch(
        sink -> {
          send(sink, Upstream.EventType.MODIFIED, A.at(12));
          return new Upstream.WatchOutcome(null);
        });

    assertThat(afterTheList()).doesNotContain("list").endsWith("watch 12");
    assertThat(head().kind()).isEqualTo(Revision.Kind.CHANGES);
  }

  @Test
  void failedListAfterFailingWatches_returnsToWatch() {
    listed();
    for (int i = 0; i < 6; i++) {
      upstream.briefWatch(sink -> new Upstream.WatchOutcome(null));
    }
    UpstreamFailure webhook = new UpstreamFailure.ServerError("x", Duration.ofSeconds(60));
    for (int i = 0; i < 4; i++) {
      upstream.watch(webhook).probe(new Upstream.Listed("11"));
    }
    upstream.listing(sink -> new Upstream.ListFailed(webhook));

    assertThat(afterTheList())
        .endsWith("probe", "list", "wait 60000", "brief watch 10", PROOF, "watch 10");
    assertThat(listedFor).containsExactly("initial");
  }

  @Test
  void outageOfAnyLength_causesNoList() {
    listed();
    for (int i = 0; i < 30; i++) {
      upstream.briefWatch(sink -> new Upstream.WatchOutcome(null));
    }
    for (int i = 0; i < 30; i++) {
      UpstreamFailure failure =
          i % 3 == 0
              ? new UpstreamFailure.Transport("refused")
              : new UpstreamFailure.ServerError("bad gateway", Duration.ZERO);
      upstream.watch(failure).probe(new Upstream.ListFailed(failure));
    }

    assertThat(afterTheList()).doesNotContain("list");
  }

  @Test
  void brokenConnections_causeNoList() {
    listed();
    for (int i = 0; i < 10; i++) {
      upstream.briefWatch(sink -> new Upstream.WatchOutcome(null));
    }
    for (int i = 0; i < 10; i++) {
      upstream.watch(new UpstreamFailure.Transport("x")).probe(new Upstream.Listed("11"));
    }

    assertThat(afterTheList()).doesNotContain("list");
  }

  @Test
  void secondMalformedWatch_causesList() {
    listed()
        .watch(new UpstreamFailure.Malformed("half an object"))
        .probe(new Upstream.Listed("10"))
        .watch(new UpstreamFailure.Malformed("half an object"))
        .probe(new Upstream.Listed("10"));

    assertThat(afterTheList())
        .containsExactly(
            "watch 10", "wait 0", "probe", PROOF, "watch 10", "wait 0", "probe", "list");
  }

  /** The page of a proxy instead of the apiserver's answer, for lists and for watches. */
  @Test
  void proxyPages_probesFail_causeNoList() {
    listed();
    for (int i = 0; i < 5; i++) {
      upstream
          .watch(new UpstreamFailure.Malformed("html"))
          .probe(new Upstream.ListFailed(new UpstreamFailure.Malformed("html")))
          .briefWatch(sink -> new Upstream.WatchOutcome(null));
    }

    assertThat(afterTheList()).doesNotContain("list");
  }

  @Test
  void expiredWatch_afterLongWaits_isListedAtOnce() {
    listed();
    UpstreamFailure away = new UpstreamFailure.Transport("refused");
    for (int i = 0; i < 8; i++) {
      upstream.watch(away).briefWatch(sink -> new Upstream.WatchOutcome(null));
    }
    upstream.watch(new UpstreamFailure.Expired("x"));

    assertThat(afterTheList()).endsWith(PROOF, "watch 10", "list");
  }

  @Test
  void repeatedLists_wait() {
    listed()
        .watch(new UpstreamFailure.Expired("x"))
        .list(11, A, B)
        .watch(new UpstreamFailure.Expired("x"))
        .list(12, A, B)
        .watch(new UpstreamFailure.Expired("x"));

    assertThat(afterTheList())
        .containsExactly(
            "watch 10", "list", "watch 11", "wait 0", "list", "watch 12", "wait 0", "list");
  }

  @Test
  void positionAheadOfCluster_isLostHistory() {
    listed()
        .watch(new UpstreamFailure.Transport("x"))
        .probe(new Upstream.Listed("9"))
        .probe(new Upstream.Listed("9"))
        .list(9, A);

    assertThat(afterTheList())
        .containsExactly(
            "watch 10", "wait 0", "probe", "reconnect", "wait 1000", "probe", "list", "watch 9");
    assertThat(head().kind()).isEqualTo(Revision.Kind.HISTORY_LOST);
    assertThat(listedFor).containsExactly("initial", "rollback");
  }

  @Test
  void quietType_isWatchingOnceWatchOpens() {
    listed()
        .watch(new UpstreamFailure.Transport("x"))
        .watch(
            sink -> {
              assertThat(cache.upstreamState().phase())
                  .isEqualTo(UpstreamState.ReflectorPhase.DISCONNECTED);
              sink.opened();
              assertThat(cache.upstreamState())
                  .isEqualTo(UpstreamState.of(UpstreamState.ReflectorPhase.WATCHING));
              return lasting(Duration.ofMinutes(1));
            });

    assertThat(afterTheList())
        .containsExactly("watch 10", "wait 0", "probe", PROOF, "watch 10", "probe", "watch 10");
  }

  @Test
  void missingPermission_isLoggedOnceAndRetriedSlowly() {
    Logger logger = (Logger) LoggerFactory.getLogger(Reflector.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.addAppender(lines);
    try {
      listed();
      for (int i = 0; i < 20; i++) {
        upstream
            .watch(new UpstreamFailure.Forbidden("403 Forbidden: no"))
            .briefWatch(sink -> new Upstream.WatchOutcome(null));
      }
      upstream.watch(sink -> lasting(Duration.ofMinutes(1)));
      run();
    } finally {
      logger.detachAppender(lines);
    }

    assertThat(lines.list)
        .filteredOn(line -> line.getFormattedMessage().contains("403"))
        .singleElement()
        .satisfies(
            line ->
                assertThat(line.getLevel() + " " + line.getFormattedMessage())
                    .startsWith(
                        "WARN configmaps/v1: 403 Forbidden: no. An administrator must grant")
                    .contains("resources: [\"configmaps\"], verbs: [\"list\", \"watch\"]"));
    assertThat(upstream.asked).filteredOn("wait 30000"::equals).hasSize(14);
  }
}
