package io.watchgate.cache;

import static io.watchgate.cache.ScriptedUpstream.send;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Tests of the time of the last proof, which is never later than justified. */
final class ReflectorFreshnessTest extends ReflectorScript {
  private void assertStale(int seconds) {
    assertThat(Duration.ofNanos(cache.proofs().stalenessNanos())).hasSeconds(seconds);
  }

  /** Asks the apiserver beside the watch, with an immediate answer. */
  private void answered(String version) {
    cache.proofs().recordAnswer(WatchApplier.requireOrdered(version), cache.now());
  }

  @Test
  void probeWithoutNews_provesState() {
    listed()
        .watch(sink -> lasting(Duration.ofMinutes(2)))
        .probe(new Upstream.Listed("15"))
        .watch(new UpstreamFailure.Throttled("x", Duration.ofSeconds(3)))
        .probe(new Upstream.Listed("10"))
        .watch(
            sink -> {
              assertStale(0);
              return lasting(Duration.ofMinutes(1));
            });

    assertThat(afterTheList()).contains("probe");
  }

  @Test
  void probeAhead_provesOnlyOnceStateHasReachedIt() {
    listed()
        .watch(sink -> lasting(Duration.ofMinutes(2)))
        .probe(new Upstream.Listed("13"))
        .watch(
            sink -> {
              assertStale(120);
              time.advance(Duration.ofSeconds(5));
              send(sink, Upstream.EventType.MODIFIED, A.at(12));
              assertStale(125);
              send(sink, Upstream.EventType.MODIFIED, A.at(13));
              assertStale(5);
              return lasting(Duration.ofMinutes(1));
            });

    assertThat(afterTheList()).contains("probe", "watch 13");
  }

  @Test
  void watchEvents_proveNothing() {
    listed()
        .watch(
            sink -> {
              time.advance(Duration.ofSeconds(40));
              send(sink, Upstream.EventType.MODIFIED, A.at(12));
              sink.bookmark("13", Upstream.BookmarkKind.PROGRESS);
              assertStale(40);
              return lasting(Duration.ofMinutes(1));
            });

    assertThat(afterTheList()).contains("watch 13");
  }

  /** The process is stopped and continued: a bookmark in the socket is as old as the pause. */
  @Test
  void delayedBookmark_provesEarlierRequestOnly() {
    listed()
        .watch(
            sink -> {
              time.advance(Duration.ofSeconds(10));
              answered("12");
              time.advance(Duration.ofSeconds(40));
              answered("14");
              time.advance(Duration.ofSeconds(1));
              sink.bookmark("13", Upstream.BookmarkKind.PROGRESS);
              assertStale(41);
              sink.bookmark("14", Upstream.BookmarkKind.PROGRESS);
              assertStale(1);
              return lasting(Duration.ofMinutes(1));
            });

    assertThat(afterTheList()).contains("watch 14");
  }

  @Test
  void answersBeforeRestore_proveNothingAfterwards() {
    listed()
        .watch(
            sink -> {
              time.advance(Duration.ofSeconds(5));
              answered("12");
              return new Upstream.WatchOutcome(new UpstreamFailure.Transport("x"));
            })
        .probe(new Upstream.Listed("9"))
        .probe(new Upstream.Listed("9"))
        .listing(
            sink -> {
              sink.item(A.bytes());
              time.advance(Duration.ofSeconds(7));
              answered("12");
              return new Upstream.Listed("9");
            })
        .watch(
            sink -> {
              time.advance(Duration.ofSeconds(23));
              send(sink, Upstream.EventType.MODIFIED, A.at(12));
              assertStale(30);
              return lasting(Duration.ofMinutes(1));
            });

    assertThat(afterTheList()).contains("list", "watch 12");
  }

  @Test
  void probe_asksDuringWatchAndLessOftenAfterFailures() {
    CountDownLatch stopped = new CountDownLatch(1);
    upstream
        .probe(new Upstream.Listed("10"))
        .probe(new Upstream.ListFailed(new UpstreamFailure.Transport("x")))
        .probe(new Upstream.ListFailed(new UpstreamFailure.Throttled("x", Duration.ofSeconds(90))))
        .probe(new Upstream.Listed("9"))
        .probe(new Upstream.Listed("9"))
        .probe(new Upstream.Listed("11"));
    cache.publishList(WatchApplier.requireOrdered("10"), StateMap.EMPTY, cache.now());
    cache.setUpstreamState(UpstreamState.of(UpstreamState.ReflectorPhase.WATCHING));
    // The random source returns zero: the shortest period around eight seconds.
    new PeriodicProbe(
            new VersionProbe(upstream, cache, CacheMetrics.NONE, (latch, wait) -> {}, stopped),
            new IdlePositionRefresher(upstream, cache, new ReflectorCommands(upstream)),
            cache,
            new ReflectorCommands(upstream),
            Duration.ofSeconds(8),
            new ReflectorClock(
                time.source(),
                () -> 0,
                (latch, wait) -> {
                  time.advance(wait);
                  upstream.asked.add(wait.toSeconds() + " s later");
                  switch (upstream.asked.size()) {
                    case 1 -> assertStale(6);
                    case 3 -> assertStale(6); // as of the first
                    case 5 -> assertStale(6 + 12);
                    case 7 -> assertStale(6 + 12 + 90);
                    case 12 -> assertStale(6 + 12 + 90 + 6); // 9 is before the cached version
                    case 15 -> {
                      assertStale(6 + 12 + 90 + 6 + 6); // 11 is after the cached version
                      cache.progress(WatchApplier.requireOrdered("11"));
                      assertStale(6);
                      cache.setUpstreamState(
                          UpstreamState.of(UpstreamState.ReflectorPhase.DISCONNECTED));
                    }
                    case 16 -> stopped.countDown();
                    default -> throw new AssertionError(upstream.asked.toString());
                  }
                }),
            stopped)
        .run();

    assertThat(upstream.asked)
        .containsExactly(
            "6 s later",
            "probe",
            "6 s later",
            "probe",
            "12 s later",
            "probe",
            "90 s later",
            "probe",
            "reconnect",
            "probe",
            "cut",
            "6 s later",
            "probe",
            "list metadata", // because nothing was received for two minutes
            "6 s later",
            "6 s later");
  }
}
