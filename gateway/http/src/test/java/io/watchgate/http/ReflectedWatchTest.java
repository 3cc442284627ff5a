package io.watchgate.http;

import static io.watchgate.http.TestWatch.frame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.SampleObject;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeLease;
import io.watchgate.cache.UpstreamState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of watches on a cache that a reflector fills: with gaps, and with an end. */
@Tag("slow")
@Timeout(300)
final class ReflectedWatchTest {
  private static final Pattern FRAME =
      Pattern.compile(
          "\"type\":\"([A-Z]+)\".*?(?:\"name\":\"(\\w+)\".*?)?\"resourceVersion\":\"(\\d+)\"");
  private static final String PATH =
      "/apis/"
          + CacheWriter.TYPE.group()
          + "/"
          + CacheWriter.TYPE.version()
          + "/"
          + CacheWriter.TYPE.resource();

  private final CacheWriter writer = new CacheWriter(settings(), TimeSource.SYSTEM);
  private final AtomicInteger leases = new AtomicInteger();
  private final TestServer server = new TestServer(new WriterCatalog(), null, WatchFixture.QUIET);

  private static CacheSettings settings() {
    return CacheWriter.settings();
  }

  /** Catalog of the writer's type. */
  private final class WriterCatalog implements ResourceCatalog {
    @Override
    public List<ServedResource> resources() {
      return List.of(new ServedResource(CacheWriter.DEFINITION, List.of(), List.of()));
    }

    @Override
    public Optional<TypeLease> open(TypeDefinition type) {
      leases.incrementAndGet();
      return Optional.of(writer.lease(leases::decrementAndGet));
    }
  }

  @AfterEach
  void closeAndAssertReleased() {
    server.close();
    await().untilAsserted(() -> assertThat(leases.get()).isZero());
  }

  private static SampleObject object(String name, long version) {
    return SampleObject.of("a", name, version);
  }

  private TestWatch watch(String query) {
    return TestWatch.open(
        server, (PATH.startsWith("/apis//") ? PATH.replace("/apis//", "/api/") : PATH) + query);
  }

  /** Returns the next frame: {@code ADDED one 11}. */
  private static String next(TestWatch watch) {
    String line = watch.next();
    return FRAME
        .matcher(line)
        .results()
        .findFirst()
        .map(
            match ->
                match.group(1)
                    + (match.group(2) == null ? "" : " " + match.group(2))
                    + " "
                    + match.group(3))
        .orElse(line);
  }

  @Test
  void recreation_isADeleteAndAnAdd() {
    writer.list(10, object("one", 5));
    try (TestWatch watch = watch("?watch=1&resourceVersion=10")) {
      writer.put(object("one", 11).uid("another"));
      assertThat(next(watch)).isEqualTo("DELETED one 11");
      assertThat(next(watch)).isEqualTo("ADDED one 11");
    }
  }

  @Test
  void relist_endsTheWatchWithAnErrorAfterItsEvents() {
    writer.list(10, object("one", 5));
    try (TestWatch watch = watch("?watch=1&resourceVersion=10")) {
      writer.put(object("one", 11));
      assertThat(next(watch)).isEqualTo("MODIFIED one 11");
      writer.list(20, object("two", 15));
      assertThat(watch.next()).isEqualTo(tooOld("11", "20"));
      assertThat(watch.next()).isEqualTo("END");
    }
  }

  @Test
  void relist_endsAWatchWithoutEventsWithAnError() {
    writer.list(10, object("one", 5));
    try (TestWatch watch = watch("?watch=1&resourceVersion=10")) {
      writer.list(20, object("two", 15));
      assertThat(watch.rest()).containsExactly(tooOld("10", "20"));
    }
  }

  /** Returns the frame by which an apiserver ends a watch from a version that it does not reach. */
  private static String tooOld(String version, String later) {
    return frame(
        "ERROR",
        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
            + "\"message\":\"too old resource version: %s (%s)\",".formatted(version, later)
            + "\"reason\":\"Expired\",\"code\":410}");
  }

  @Test
  void watchWithoutEvents_doesNotEndInItsFirstTwoSeconds() {
    writer.list(10, object("one", 5));
    long start = System.nanoTime();
    try (TestWatch watch = watch("?watch=1&resourceVersion=10")) {
      writer.upstream(UpstreamState.ReflectorPhase.REDEFINED, null);
      assertThat(next(watch)).isEqualTo("END");
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofSeconds(2));
    }
  }

  @Test
  void watchFromBeforeARelist_isExpired() {
    writer.list(10, object("one", 5));
    writer.put(object("one", 11));
    writer.list(20, object("two", 15));
    for (String version : List.of("11", "15")) {
      try (TestWatch watch = watch("?watch=1&resourceVersion=" + version)) {
        assertThat(watch.next()).startsWith("{\"type\":\"ERROR\"").contains("\"code\":410");
        assertThat(watch.next()).isEqualTo("END");
      }
    }
    try (TestWatch watch = watch("?watch=1&resourceVersion=20")) {
      writer.put(object("two", 21));
      assertThat(next(watch)).isEqualTo("MODIFIED two 21");
    }
  }

  @Test
  void changesBeforeTheEndOfACache_areSent() {
    writer.list(10, object("one", 5));
    try (TestWatch watch = watch("?watch=1&resourceVersion=10")) {
      writer.put(object("one", 11));
      writer.upstream(UpstreamState.ReflectorPhase.REDEFINED, null);
      assertThat(next(watch)).isEqualTo("MODIFIED one 11");
      assertThat(next(watch)).isEqualTo("END");
    }
  }

  @Test
  void disconnectedCache_doesNotEndTheWatch() {
    writer.list(10, object("one", 5));
    try (TestWatch watch = watch("?watch=1&resourceVersion=10")) {
      writer.upstream(UpstreamState.ReflectorPhase.DISCONNECTED, null);
      writer.put(object("one", 11));
      assertThat(next(watch)).isEqualTo("MODIFIED one 11");
    }
  }

  @Test
  void futureVersion_skipsTheChangesBeforeIt() {
    writer.list(10, object("one", 5));
    try (TestWatch watch = watch("?watch=1&resourceVersion=12")) {
      assertThat(watch.response.statusCode()).isEqualTo(200);
      writer.put(object("one", 11));
      writer.put(object("one", 12));
      writer.put(object("one", 13));
      assertThat(next(watch)).isEqualTo("MODIFIED one 13");
    }
  }

  @Test
  void restoredCluster_endsTheWatchWithAnError() {
    writer.list(100, object("one", 90));
    try (TestWatch watch = watch("?watch=1&resourceVersion=100")) {
      writer.list(20, object("one", 15)); // the apiserver was restored
      assertThat(watch.next())
          .startsWith("{\"type\":\"ERROR\"")
          .contains("timeline", "\"code\":410");
      assertThat(watch.next()).isEqualTo("END");
    }
  }

  @Test
  void versionOfALostHistory_isExpired() {
    writer.list(100, object("one", 90));
    writer.list(20, object("one", 15)); // the apiserver was restored
    try (TestWatch watch = watch("?watch=1&resourceVersion=100")) {
      assertThat(watch.next()).startsWith("{\"type\":\"ERROR\"").contains("\"code\":410");
    }
  }

  /** A version does not name its timeline, so that only a token notices the restore. */
  @Test
  void versionOfALostHistory_reachedAgain_isServed() {
    writer.list(100, object("one", 90));
    writer.list(20, object("one", 15)); // the apiserver was restored
    writer.put(object("one", 100));
    try (TestWatch watch = watch("?watch=1&resourceVersion=100")) {
      assertThat(watch.response.statusCode()).isEqualTo(200);
      writer.put(object("one", 101));
      assertThat(next(watch)).isEqualTo("MODIFIED one 101");
    }
  }

  @Test
  void futureVersion_whoseChangesAreListed_endsTheWatch() {
    writer.list(10, object("one", 5));
    try (TestWatch watch = watch("?watch=1&resourceVersion=12")) {
      writer.list(20, object("two", 15));
      assertThat(watch.rest()).containsExactly(tooOld("10", "20"));
    }
  }
}
