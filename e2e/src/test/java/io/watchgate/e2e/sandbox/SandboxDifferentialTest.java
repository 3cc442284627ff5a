package io.watchgate.e2e.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.kube.Cluster;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Differential test of the sandbox. {@code -Dwatchgate.test.args=-Dseed=N} repeats the writes of a
 * run.
 */
@WithApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SandboxDifferentialTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final int WRITES = 1_200;
  private static final List<String> NAMESPACES = List.of("twin-1", "twin-2");
  private static final List<Map<String, String>> SELECTORS =
      List.of(
          Map.of(),
          Map.of("labelSelector", "app=web"),
          Map.of("labelSelector", "app!=api,!tier"),
          Map.of("fieldSelector", "metadata.name!=complete"));

  /** Namespaces need a controller for their deletion, which one of the servers does not have. */
  private static final Set<Sample> WRITTEN = EnumSet.complementOf(EnumSet.of(Sample.NAMESPACE));

  private static final String PAGED = "twin-pages";
  private final long seed = Long.getLong("seed", new Random().nextLong());
  private EmbeddedSandbox server;
  private ServerPair servers;

  @BeforeAll
  void start(@OwnApiserver Apiserver apiserver) throws IOException {
    server = new EmbeddedSandbox();
    servers =
        new ServerPair(
            new ComparedServer("kube-apiserver", apiserver.cluster()),
            new ComparedServer("sandbox", Cluster.plaintext(server.uri())));
    for (String namespace : NAMESPACES) {
      servers.real().cluster().createNamespace(namespace);
      servers.sandbox().cluster().createNamespace(namespace);
    }
  }

  @AfterAll
  void stop() {
    servers.sandbox().cluster().close();
    server.close();
  }

  @ParameterizedTest
  @EnumSource
  void defaults_equalApiserver(Sample sample) {
    String body = sample.body("twin-1", "minimal", "{\"app\":\"web\"}");

    assertThat(
            servers
                .same(ComparedRequest.post(sample.collection("twin-1") + "?dryRun=All", body))
                .code())
        .isEqualTo(201);
  }

  /**
   * Events are read from an apiserver's storage, which adds a token without checking whether the
   * next events match. The namespace has no services, because an apiserver writes events for
   * services itself.
   */
  @Test
  void pageOfEvents_hasTokenIfAnythingFollows() {
    servers.done(
        ComparedRequest.post("/api/v1/namespaces", Sample.NAMESPACE.body("", PAGED, "{}")));
    for (String name : List.of("a", "b", "c")) {
      String labels = name.equals("c") ? "{\"other\":\"1\"}" : "{\"paged\":\"1\"}";
      servers.done(
          ComparedRequest.post(
              Sample.EVENT.collection(PAGED), Sample.EVENT.body(PAGED, name, labels)));
    }
    for (String query :
        List.of(
            "labelSelector=paged&limit=1",
            "labelSelector=paged&limit=2",
            "labelSelector=paged&limit=3",
            "labelSelector=other&limit=1",
            "labelSelector=paged&limit=1&resourceVersion=0",
            "fieldSelector=metadata.name%3Da&limit=1")) {
      servers.same(ComparedRequest.get(Sample.EVENT.collection(PAGED) + "?" + query));
    }
  }

  @Test
  void sameWrites_haveSameResults() {
    System.out.println("Sandbox against kube-apiserver with seed " + seed);
    Random random = new Random(seed);
    RandomWrites writes = new RandomWrites(servers, random, NAMESPACES);
    List<Pair> pairs = watch();
    try {
      List<Sample> samples = List.copyOf(WRITTEN);
      for (int i = 0; i < WRITES; i++) {
        writes.write(samples.get(random.nextInt(samples.size())));
        if (i % 100 == 99) {
          samples.forEach(sample -> listed(sample, writes.differences()));
        }
      }
      assertThat(writes.differences()).isEmpty();
      finish();
      for (Pair pair : pairs) {
        await().atMost(LIMIT).until(() -> pair.real.saw("the-end") && pair.sandbox.saw("the-end"));
        assertThat(pair.sandbox.seen()).as(pair.what).isEqualTo(pair.real.seen());
      }
    } finally {
      pairs.forEach(Pair::close);
      System.out.printf("seed %d: %s%n", seed, writes.outcomes());
    }
    assertThat(writes.outcomes())
        .containsKeys(
            "create 201",
            "create 409",
            "merge 200",
            "merge 404",
            "merge 422",
            "strategic 200",
            "json patch 200",
            "json patch 422",
            "status 200",
            "stale 409",
            "delete 200",
            "delete 404",
            "delete 409",
            "finalize 200");
    assertThat(pairs.stream().mapToInt(pair -> pair.real.seen().size()).sum())
        .isGreaterThan(WRITES / 2);
  }

  /** The same watch at both servers. */
  private record Pair(String what, WatchLog real, WatchLog sandbox) {
    void close() {
      real.close();
      sandbox.close();
    }
  }

  private List<Pair> watch() {
    List<Pair> pairs = new ArrayList<>();
    for (Sample sample : WRITTEN) {
      for (String namespace : sample.namespaced() ? NAMESPACES : List.of("")) {
        for (Map<String, String> selectors : SELECTORS) {
          Map<String, String> all = new TreeMap<>(selectors);
          if (!sample.own().isEmpty()) {
            all.merge("fieldSelector", sample.own(), (one, other) -> one + "," + other);
          }
          pairs.add(
              new Pair(
                  sample + " in " + namespace + " by " + all,
                  new WatchLog(servers.real().cluster(), sample.type(), namespace, all),
                  new WatchLog(servers.sandbox().cluster(), sample.type(), namespace, all)));
        }
      }
    }
    await()
        .atMost(LIMIT)
        .until(() -> pairs.stream().allMatch(it -> it.real.isListed() && it.sandbox.isListed()));
    return pairs;
  }

  /** Makes a last change that every watch must receive. */
  private void finish() {
    for (Sample sample : WRITTEN) {
      for (String namespace : sample.namespaced() ? NAMESPACES : List.of("")) {
        servers.done(
            ComparedRequest.post(
                sample.collection(namespace),
                sample.body(namespace, "the-end", "{\"app\":\"web\"}")));
      }
    }
  }

  private void listed(Sample sample, List<String> differences) {
    String own = sample.own().isEmpty() ? "" : "&fieldSelector=" + sample.own().replace("=", "%3D");
    for (String query :
        List.of(
            "resourceVersion=" + own,
            "resourceVersion=0" + own,
            "labelSelector=app%3Dweb" + own,
            "fieldSelector=metadata.name%3Dcomplete",
            // Events written by an apiserver itself may follow, and the page's token would show
            // that.
            sample == Sample.EVENT ? "labelSelector=app" + own : "limit=2" + own)) {
      String path = sample.collection(sample.namespaced() ? "twin-1" : "") + "?" + query;
      servers.ask(ComparedRequest.get(path), differences);
    }
    String metadata = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    String path = sample.collection(sample.namespaced() ? "twin-2" : "") + "?limit=100" + own;
    servers.ask(ComparedRequest.get(path).accepting(metadata), differences);
  }
}
