package io.watchgate.e2e.kubeapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.RawWatch;
import io.watchgate.e2e.kube.Resource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Comparison of watches at a gateway and at the apiserver behind it, event by event. */
@WithSharedApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class WatchesComparedTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  /** Most comparisons of a watch until the gateway answers it without the apiserver. */
  private static final int COMPARISONS = 5;

  private static final String JSON = "application/json";
  private static final String NAMESPACE = "watches";
  private static final String MAPS = "/api/v1/namespaces/" + NAMESPACE + "/configmaps";
  private static final String WATCH_LIST =
      "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

  private final Random random = new Random(1);
  private ProxiedApiserver both;
  private int written;

  /** Version of the empty namespace. */
  private String first = "";

  @BeforeAll
  void start(Apiserver apiserver) {
    apiserver.cluster().createNamespace(NAMESPACE);
    both = ProxiedApiserver.start(apiserver);
    first = version();
    for (int i = 0; i < 12; i++) {
      write();
    }
    // The first request opens the type. Until it is loaded, the apiserver answers.
    await()
        .atMost(LIMIT)
        .until(
            () ->
                both.proxied()
                    .send("GET", MAPS + "?resourceVersion=0", JSON, "", "")
                    .header("Watchgate-Source")
                    .equals("cache"));
  }

  @AfterAll
  void stop() {
    both.close();
  }

  /** Writes, changes or deletes one of a few objects, whose label changes too. */
  private void write() {
    String name = "c" + random.nextInt(5);
    String body =
        """
        {"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"%s","name":"%s",
         "labels":{"app":"%s"}},"data":{"written":"%d"}}
        """
            .formatted(NAMESPACE, name, random.nextBoolean() ? "web" : "api", ++written);
    int code = both.direct().send("POST", MAPS, JSON, JSON, body).code();
    if (code == 409) {
      String path = MAPS + "/" + name;
      if (random.nextInt(3) == 0) {
        both.direct().send("DELETE", path, JSON, "", "");
      } else {
        both.direct().send("PUT", path, JSON, JSON, body);
      }
    }
  }

  /** Writes an object that every selection of this test selects. */
  private String last() {
    String name = "last-" + ++written;
    both.direct()
        .create(
            Resource.CONFIGMAPS,
            Json.parse(
                """
                {"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"%s","name":"%s",
                 "labels":{"app":"web"}}}
                """
                    .formatted(NAMESPACE, name)));
    return "\"name\":\"" + name + "\"";
  }

  private String version() {
    return both.direct().read(MAPS).at("/metadata/resourceVersion").textValue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "?watch=1",
        "?watch=1&resourceVersion=0",
        "?watch=1&resourceVersion=VERSION",
        "?watch=1&resourceVersion=VERSION&allowWatchBookmarks=true",
        "?watch=1&labelSelector=app%3Dweb",
        "?watch=1&resourceVersion=VERSION&labelSelector=app%3Dweb",
        "?watch=1" + WATCH_LIST,
        "?watch=1&resourceVersion=0" + WATCH_LIST,
        "?watch=1&resourceVersion=VERSION" + WATCH_LIST,
        "?watch=1&labelSelector=app+in+%28web%29" + WATCH_LIST,
      })
  void events_equalTheApiservers(String query) {
    for (String accept :
        List.of(JSON, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1")) {
      compare(MAPS + query.replace("VERSION", version()), accept);
    }
  }

  /** Form of a watch from before the parameter {@code watch}, which some old clients still send. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/v1/watch/configmaps?fieldSelector=metadata.namespace%3Dwatches&resourceVersion=VERSION",
        "/api/v1/watch/namespaces/watches/configmaps?resourceVersion=VERSION",
        "/api/v1/watch/namespaces/watches/configmaps?watch=false&labelSelector=app%3Dweb",
      })
  void eventsOfALegacyPath_equalTheApiservers(String path) {
    compare(path.replace("VERSION", version()), JSON);
  }

  /** Repeats the comparison if the apiserver answered, which it does after a slow proof. */
  private void compare(String path, String accept) {
    for (int i = 0; i < COMPARISONS; i++) {
      double relayed = watches("apiserver");
      compareOnce(path, accept);
      if (watches("apiserver") == relayed) {
        return;
      }
    }
    throw new AssertionError("all watches were relayed: " + path);
  }

  /**
   * Requires that the gateway answers the only watch of a story from its cache. The story is
   * repeated if the apiserver answered, as {@link #compare} does.
   */
  private void answeredFromCache(Runnable story) {
    for (int i = 0; i < COMPARISONS; i++) {
      double relayed = watches("apiserver");
      double before = watches("cache");
      story.run();
      if (watches("apiserver") == relayed) {
        assertThat(watches("cache")).isEqualTo(before + 1);
        return;
      }
    }
    throw new AssertionError("all watches were relayed");
  }

  private void compareOnce(String path, String accept) {
    try (RawWatch direct = RawWatch.open(both.direct(), path, accept);
        RawWatch proxied = RawWatch.open(both.proxied(), path, accept)) {
      for (int i = 0; i < 20; i++) {
        write();
      }
      String last = last();
      direct.awaitLine(last);
      proxied.awaitLine(last);
      assertThat(proxied.events()).isEqualTo(direct.events());
      if (path.contains("sendInitialEvents")) {
        assertThat(marker(proxied.lines())).isEqualTo(marker(direct.lines())).isNotNegative();
      }
    }
  }

  /** Returns the number of events before the end of the initial events; -1 without an end. */
  private static int marker(List<String> lines) {
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).contains("\"k8s.io/initial-events-end\":\"true\"")) {
        return i;
      }
    }
    return -1;
  }

  @Test
  void watches_continueFromAListOfTheOtherSide() {
    continueFromAListOfTheOtherSide(both.proxied(), both.direct(), "proven");
    answeredFromCache(() -> continueFromAListOfTheOtherSide(both.direct(), both.proxied(), ""));
  }

  private void continueFromAListOfTheOtherSide(Cluster listing, Cluster watching, String source) {
    Cluster.Reply list =
        await()
            .atMost(LIMIT)
            .until(
                () -> listing.send("GET", MAPS, JSON, "", ""),
                reply -> reply.header("Watchgate-Source").equals(source));
    String listed = Json.parse(list.body()).at("/metadata/resourceVersion").textValue();
    List<String> expected = new ArrayList<>();
    expected.add(last());
    write();
    expected.add(last());
    try (RawWatch watch =
        RawWatch.open(watching, MAPS + "?watch=1&resourceVersion=" + listed, JSON)) {
      expected.forEach(watch::awaitLine);
      assertThat(watch.lines().getFirst()).contains(expected.getFirst());
    }
  }

  @Test
  void versionOfAnotherType_startsAWatchAtOnce() {
    answeredFromCache(
        () -> {
          // The version of this list is above the last one of any config map.
          both.direct().createNamespace("watches-other-" + ++written);
          String ahead =
              both.direct().read("/api/v1/namespaces").at("/metadata/resourceVersion").textValue();
          try (RawWatch watch =
              RawWatch.open(both.proxied(), MAPS + "?watch=1&resourceVersion=" + ahead, JSON)) {
            String last = last();
            watch.awaitLine(last);
            assertThat(watch.lines()).hasSize(1);
          }
        });
  }

  @Test
  void watches_areServedFromTheCache() {
    answeredFromCache(
        () -> {
          try (RawWatch watch =
              RawWatch.open(both.proxied(), MAPS + "?watch=1&resourceVersion=0", JSON)) {
            await().atMost(LIMIT).until(() -> !watch.lines().isEmpty());
          }
        });
    double proven = watches("proven");
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> {
              try (RawWatch watch =
                  RawWatch.open(both.proxied(), MAPS + "?watch=1" + WATCH_LIST, JSON)) {
                watch.awaitLine("k8s.io/initial-events-end");
              }
              assertThat(watches("proven")).isEqualTo(proven + 1);
            });
  }

  private double watches(String source) {
    return both.metrics()
        .sum("watchgate_kube_requests_total", "verb=\"watch\"", "source=\"" + source + "\"");
  }

  @Test
  void timeout_endsTheWatchCleanly() {
    try (RawWatch watch =
        RawWatch.open(
            both.proxied(),
            MAPS + "?watch=1&timeoutSeconds=3&allowWatchBookmarks=true&resourceVersion=0",
            JSON)) {
      await().atMost(LIMIT).until(watch::isOver);
      assertThat(watch.lines().getLast()).startsWith("{\"type\":\"BOOKMARK\"");
    }
  }

  @Test
  void versionBeforeTheGateway_hasTheSameEvents() {
    String path = MAPS + "?watch=1&resourceVersion=" + first;
    answeredFromCache(
        () -> {
          try (RawWatch direct = RawWatch.open(both.direct(), path, JSON);
              RawWatch proxied = RawWatch.open(both.proxied(), path, JSON)) {
            String last = last();
            direct.awaitLine(last);
            proxied.awaitLine(last);
            assertThat(proxied.events()).isEqualTo(direct.events()).hasSizeGreaterThan(6);
          }
        });
  }
}
