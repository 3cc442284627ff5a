package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.json.FieldPaths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Runner of a reflector on the test's own thread against a script. Its waits only advance a clock,
 * and its random source always returns zero: a wait of zero consists of jitter only.
 */
abstract class ReflectorScript {
  static final SampleObject A = SampleObject.of("n", "a", 5);
  static final SampleObject B = SampleObject.of("n", "b", 6);

  final VirtualTime time = new VirtualTime();
  final ScriptedUpstream upstream = new ScriptedUpstream();
  final List<String> listedFor = new ArrayList<>();
  final List<String> outcomes = new ArrayList<>();
  final List<UpstreamState> states = new ArrayList<>();
  CacheSettings settings = CacheWriter.settings();
  WatchCache cache = cache();

  private @Nullable Reflector reflector;

  /** Returns the commands to the reflector, once it runs. */
  ReflectorCommands commands() {
    return Objects.requireNonNull(reflector).commands();
  }

  WatchCache cache() {
    return new WatchCache(CacheWriter.DEFINITION, settings, time.source(), CacheMetrics.NONE);
  }

  /** Runs the script to its end. Returns the requests, and the waits in between. */
  List<String> run() {
    cache.addListener(() -> states.add(cache.upstreamState()));
    List<Runnable> body = new ArrayList<>();
    Reflector started =
        new Reflector(
            upstream,
            cache,
            FieldPaths.NONE,
            settings,
            new ReflectorClock(
                time.source(),
                () -> 0,
                (stopped, wait) -> {
                  upstream.asked.add("wait " + wait.toMillis());
                  time.advance(wait);
                }),
            new CacheMetricsRecorder(listedFor, outcomes),
            new Semaphore(1),
            task -> {
              body.add(task);
              return new Thread(() -> {});
            });
    upstream.holding(cache::head).atEnd(started::close);
    reflector = started;
    body.getFirst().run();
    upstream.assertNothingFailed();
    return upstream.asked;
  }

  /** Scripts a server without streaming lists, so that the list is paged, at version 10. */
  ScriptedUpstream listed() {
    return upstream.list(10, A, B);
  }

  List<String> afterTheList() {
    List<String> asked = run();
    assertThat(asked).startsWith("streaming list", "list");
    return asked.subList(2, asked.size());
  }

  Upstream.WatchOutcome lasting(Duration duration) {
    time.advance(duration);
    return new Upstream.WatchOutcome(null);
  }

  Revision head() {
    return Objects.requireNonNull(cache.head());
  }

  Revision oldest() {
    return Objects.requireNonNull(cache.oldest());
  }
}
