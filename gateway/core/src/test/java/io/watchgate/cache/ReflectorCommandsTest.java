package io.watchgate.cache;

import static io.watchgate.cache.ScriptedUpstream.send;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests of commands to the reflector from beside the watch. */
final class ReflectorCommandsTest extends ReflectorScript {
  private UpstreamLookups.Progress ask() {
    return cache.upstreamLookups().requestProgress().toCompletableFuture().join();
  }

  @Test
  void awaitedVersion_causesBriefWatch() {
    listed()
        .watch(
            sink -> {
              assertThat(ask()).isEqualTo(new UpstreamLookups.At(new ResourceVersion("17")));
              return lasting(Duration.ZERO); // interrupted
            })
        .probe(new Upstream.Listed("17"))
        .briefWatch(
            sink -> {
              sink.bookmark("18", Upstream.BookmarkKind.PROGRESS);
              return new Upstream.WatchOutcome(null);
            })
        .watch(
            sink -> {
              assertThat(head().version()).hasToString("18");
              return lasting(Duration.ofMinutes(1));
            });

    assertThat(afterTheList()).startsWith("watch 10", "probe", "cut", "brief watch 10", "watch 18");
  }

  @Test
  void failedBriefWatch_isHandledLikeOtherFailures() {
    listed()
        .watch(
            sink -> {
              var _ = ask();
              return lasting(Duration.ZERO);
            })
        .probe(new Upstream.Listed("17"))
        .briefWatch(
            sink -> new Upstream.WatchOutcome(new UpstreamFailure.Expired("compacted meanwhile")))
        .list(20, A, B);

    assertThat(afterTheList())
        .startsWith("watch 10", "probe", "cut", "brief watch 10", "list", "watch 20");
  }

  /** Previously an open watch had to end first: up to an hour without events. */
  @Test
  void rollbackDuringWatch_causesListAtOnce() {
    listed()
        .watch(
            sink -> {
              assertThat(ask()).isEqualTo(new UpstreamLookups.At(new ResourceVersion("7")));
              return lasting(Duration.ZERO);
            })
        .probe(new Upstream.Listed("7"))
        .probe(new Upstream.Listed("7"))
        .list(7, A)
        .watch(
            sink -> {
              assertThat(head().kind()).isEqualTo(Revision.Kind.HISTORY_LOST);
              return lasting(Duration.ofMinutes(1));
            });

    assertThat(afterTheList())
        .startsWith(
            "watch 10", "probe", "reconnect", "wait 1000", "probe", "cut", "list", "watch 7");
    assertThat(listedFor).containsExactly("initial", "rollback");
  }

  /** The interrupt happened before there was a watch. */
  @Test
  void watchOpenedAfterCommand_isInterrupted() {
    listed()
        .watch(
            sink -> {
              var _ = ask();
              sink.opened();
              throw new AssertionError("went on");
            })
        .probe(new Upstream.Listed("7"))
        .probe(new Upstream.Listed("7"))
        .list(7, A);

    assertThat(afterTheList())
        .startsWith(
            "watch 10", "probe", "reconnect", "wait 1000", "probe", "cut", "list", "watch 7");
  }

  /** The compared state is not cached any more: a list was made since. */
  @Test
  void commandFulfilledByList_isNotRepeated() {
    listed()
        .watch(sink -> new Upstream.WatchOutcome(new UpstreamFailure.Expired("x")))
        .listing(
            sink -> {
              var _ = ask();
              sink.item(A.bytes());
              return new Upstream.Listed("20");
            })
        .probe(new Upstream.Listed("9"))
        .probe(new Upstream.Listed("9"))
        .watch(sink -> lasting(Duration.ofMinutes(1)));

    assertThat(afterTheList())
        .startsWith(
            "watch 10", "list", "probe", "reconnect", "wait 1000", "probe", "cut", "watch 20");
  }

  @Test
  void commandedList_isPublishedAsDiff() {
    listed()
        .watch(
            sink -> {
              send(sink, Upstream.EventType.MODIFIED, A.at(12));
              var _ = ask();
              return lasting(Duration.ZERO);
            })
        .probe(new Upstream.Listed("7"))
        .probe(new Upstream.Listed("7"))
        .list(15, A.at(12));

    var _ = run();

    assertThat(head().kind()).isEqualTo(Revision.Kind.RELIST);
    assertThat(head().state().size()).isEqualTo(1);
  }

  /** Otherwise the next watch would be refused after a compaction, and cause a gap. */
  @Test
  void refreshedPosition_isWatchedFrom() {
    listed()
        .watch(
            sink -> {
              commands().watchFrom(new ResourceVersion("90"), head());
              return lasting(Duration.ZERO);
            })
        .watch(sink -> lasting(Duration.ofMinutes(1)));

    assertThat(afterTheList()).startsWith("watch 10", "cut", "watch 90");
    assertThat(head().kind()).isEqualTo(Revision.Kind.PROGRESS);
  }
}
