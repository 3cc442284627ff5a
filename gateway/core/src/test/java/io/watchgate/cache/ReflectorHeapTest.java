package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.ref.WeakReference;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests of the memory that a reflector keeps reachable during a watch, which may take minutes. */
final class ReflectorHeapTest extends ReflectorScript {
  private boolean collected;

  private void awaitCollected(WeakReference<?> reference) {
    await()
        .atMost(Duration.ofMinutes(3))
        .pollInterval(Duration.ofMillis(10))
        .untilAsserted(
            () -> {
              System.gc();
              assertThat(reference.get()).isNull();
            });
    collected = true;
  }

  /** Changes everything so often that history has no revision of before. */
  private void changeAll(Upstream.WatchSink sink) {
    for (int version = 11; version < 40; version += 2) {
      ScriptedUpstream.send(sink, Upstream.EventType.MODIFIED, A.at(version).padding(1_000));
      ScriptedUpstream.send(sink, Upstream.EventType.MODIFIED, B.at(version + 1).padding(1_000));
    }
  }

  private void shortHistory() {
    settings = CacheWriter.settings().withHistory(Duration.ofHours(1), 5_000);
    cache = cache();
  }

  @Test
  void watch_doesNotPinItsFirstState() {
    shortHistory();
    listed()
        .watch(
            sink -> {
              WeakReference<StateMap> first = new WeakReference<>(head().state());
              changeAll(sink);
              awaitCollected(first);
              return lasting(Duration.ofSeconds(5));
            });

    assertThat(afterTheList()).startsWith("watch 10");
    assertThat(collected).isTrue();
  }

  @Test
  void streamingList_doesNotPinReplacedState() {
    shortHistory();
    upstream
        .streamingList(
            sink -> {
              ScriptedUpstream.send(sink, Upstream.EventType.ADDED, A);
              sink.bookmark("10", Upstream.BookmarkKind.INITIAL_EVENTS_END);
              return new Upstream.WatchOutcome(new UpstreamFailure.Expired("410 Gone"));
            })
        .streamingList(
            sink -> {
              WeakReference<StateMap> replaced = new WeakReference<>(head().state());
              ScriptedUpstream.send(sink, Upstream.EventType.ADDED, A.at(20));
              sink.bookmark("20", Upstream.BookmarkKind.INITIAL_EVENTS_END);
              for (int version = 21; version < 40; version++) {
                ScriptedUpstream.send(
                    sink, Upstream.EventType.MODIFIED, A.at(version).padding(1_000));
              }
              awaitCollected(replaced);
              return lasting(Duration.ofSeconds(5));
            });

    run();
    assertThat(head().version()).hasToString("39");
    assertThat(collected).isTrue();
  }
}
