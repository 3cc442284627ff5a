package io.watchgate.e2e.kubeapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.kube.Widgets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Comparison of reads at a gateway and at the apiserver behind it: code, media type, encoding and
 * body must be equal, but for the version of a list as a whole. The apiserver is of this class
 * alone, because writes between two reads would be differences. {@code
 * -Dwatchgate.test.args=-Dseed=N} repeats the requests.
 */
@WithApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ReadsComparedTest {
  private static final int REQUESTS = 500;
  private static final String JSON = "application/json";
  private static final String PARTIAL =
      "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
  private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

  private static final Resource SECRETS = new Resource("", "v1", "secrets", "Secret");

  private static final Resource DEPLOYMENTS =
      new Resource("apps", "v1", "deployments", "Deployment");

  private static final List<String> CACHED_PATHS =
      List.of(
          "/api/v1/configmaps",
          "/api/v1/namespaces/reads/configmaps",
          "/api/v1/namespaces/none/configmaps",
          "/api/v1/namespaces/Bad_Name/configmaps",
          "/api/v1/namespaces/reads/pods",
          "/api/v1/namespaces",
          "/apis/e2e.watchgate.io/v1/namespaces/reads/widgets",
          "/apis/e2e.watchgate.io/v2/widgets",
          "/apis/apps/v1/deployments",
          "/apis/apps/v1/namespaces/reads/deployments/d1",
          "/apis/rbac.authorization.k8s.io/v1/clusterroles",
          "/apis/rbac.authorization.k8s.io/v1/clusterroles/view",
          "/api/v1/namespaces/default/services",
          "/api/v1/namespaces/large/configmaps",
          "/api/v1/namespaces/reads/configmaps/c01",
          "/api/v1/namespaces/reads/configmaps/none",
          "/api/v1/namespaces/reads",
          "/apis/e2e.watchgate.io/v1/namespaces/reads/widgets/w1");

  private static final List<String> OTHER_PATHS =
      List.of(
          "/api/v1/nothings",
          "/api/v1/namespaces/reads/secrets",
          "/api",
          "/apis",
          "/version",
          "/healthz",
          "/nothing");

  /** {@code VERSION} stands for the version of a list before the requests. */
  private static final List<String> VERSIONS =
      List.of("", "", "0", "0", "1", "VERSION", "VERSION", "abc", "-1");

  private static final List<String> MATCHES = List.of("", "", "NotOlderThan", "Exact", "Other");
  private static final List<String> LIMITS = List.of("", "", "3", "-1");
  private static final List<String> LABELS =
      List.of("", "", "app%3Dweb", "app%21%3Dweb", "app+in+%28web%2Capi%29", "a%3D%3Db%3D%3Dc");
  private static final List<String> FIELDS =
      List.of("", "", "metadata.name%3Dc01", "spec.nodeName%3Dn1", "spec.none%3D1");
  private static final List<String> OTHERS =
      List.of("", "", "", "", "", "", "&pretty=true", "&timeout=10s", "&unknown=1");
  private static final List<String> ACCEPTS =
      List.of(
          JSON,
          JSON,
          JSON,
          JSON,
          "*/*",
          PARTIAL,
          PARTIAL,
          TABLE,
          "text/html",
          "application/yaml",
          "application/yaml, application/json;q=0.5",
          "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1, application/json");

  private final long seed = Long.getLong("seed", new Random().nextLong());
  private final Random random = new Random(seed);
  private ProxiedApiserver both;
  private String version = "";

  @BeforeAll
  void start(@OwnApiserver Apiserver apiserver) {
    Cluster direct = apiserver.cluster();
    Widgets.install(direct);
    direct.createNamespace("reads");
    for (int i = 0; i < 25; i++) {
      String name = "c%02d".formatted(i);
      direct.create(
          Resource.CONFIGMAPS,
          object("v1", "ConfigMap", name, "\"data\":{\"n\":\"<" + i + ">\"}", i));
    }
    for (int i = 0; i < 4; i++) {
      direct.create(
          Resource.PODS,
          object(
              "v1",
              "Pod",
              "p" + i,
              "\"spec\":{\"nodeName\":\"n%d\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}"
                  .formatted(i % 2),
              i));
      direct.create(
          Widgets.V1,
          object("e2e.watchgate.io/v1", "Widget", "w" + i, "\"spec\":{\"color\":\"red\"}", i));
      direct.create(DEPLOYMENTS, deployment("d" + i, i));
    }
    direct.createNamespace("large");
    for (int i = 0; i < 3; i++) { // compressed if all are listed
      direct.create(
          Resource.CONFIGMAPS,
          Json.parse(
              """
              {"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"large","name":"l%d"},
               "data":{"x":"%s"}}
              """
                  .formatted(i, "x".repeat(60_000))));
    }
    direct.create(
        SECRETS,
        Json.parse(
            """
            {"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"default","name":"reads"}}
            """));
    both = ProxiedApiserver.start(apiserver);
    // The gateway answers an exact version only of the time since it opened the type.
    awaitFromCache("0");
    version = direct.read("/api/v1/configmaps").at("/metadata/resourceVersion").textValue();
    awaitFromCache(version);
  }

  /**
   * Waits until all types are open, and have reached a version. It may be that of a write to
   * another type, which a gateway learns from the next bookmark, a minute later.
   */
  private void awaitFromCache(String reached) {
    for (String path :
        List.of(
            "/api/v1/configmaps",
            "/api/v1/pods",
            "/api/v1/namespaces",
            "/apis/e2e.watchgate.io/v1/widgets",
            "/apis/e2e.watchgate.io/v2/widgets",
            "/apis/apps/v1/deployments",
            "/apis/rbac.authorization.k8s.io/v1/clusterroles",
            "/api/v1/services")) {
      await(path)
          .atMost(Duration.ofMinutes(3))
          .until(() -> source(path + "?resourceVersion=" + reached).equals("cache"));
    }
  }

  private static JsonNode object(
      String apiVersion, String kind, String name, String content, int number) {
    return Json.parse(
        """
        {"apiVersion":"%s","kind":"%s","metadata":{"namespace":"reads","name":"%s",
         "labels":{"app":"%s"}},%s}
        """
            .formatted(apiVersion, kind, name, number % 2 == 0 ? "web" : "api", content));
  }

  private static JsonNode deployment(String name, int number) {
    return object(
        "apps/v1",
        "Deployment",
        name,
        """
        "spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
         "spec":{"containers":[{"name":"c","image":"i"}]}}}
        """,
        number);
  }

  private String source(String path) {
    return both.proxied().send("GET", path, JSON, "", "").header("Watchgate-Source");
  }

  @AfterAll
  void stop() {
    both.close();
  }

  /** Returns the counts of answers by their source, for the message of a failure. */
  private String counts() {
    return both.metrics()
        .page()
        .lines()
        .filter(line -> line.startsWith("watchgate_kube_requests_total"))
        .collect(Collectors.joining("\n"));
  }

  private <T> T any(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  private String anyPath() {
    List<String> query = new ArrayList<>();
    add(query, "resourceVersion=", any(VERSIONS));
    add(query, "resourceVersionMatch=", any(MATCHES));
    add(query, "limit=", any(LIMITS));
    add(query, "labelSelector=", any(LABELS));
    add(query, "fieldSelector=", any(FIELDS));
    query.removeIf(each -> random.nextInt(5) > 1);
    String known = String.join("&", query);
    return (any(random.nextInt(6) == 0 ? OTHER_PATHS : CACHED_PATHS) + "?" + known + any(OTHERS))
        .replace("VERSION", version);
  }

  /** Returns a read that a cache can answer. */
  private String anyCachedRead() {
    String read = any(CACHED_PATHS) + "?resourceVersion=" + any(List.of("", "0", version));
    return read + any(List.of("", "&labelSelector=app%3Dweb", "&pretty=true"));
  }

  private static void add(List<String> query, String name, String value) {
    if (!value.isEmpty()) {
      query.add(name + value);
    }
  }

  @Test
  void reads_equalTheApiservers() {
    System.out.println("Reads compared with seed " + seed);
    Map<String, Integer> sources = new TreeMap<>();
    List<String> differences = new ArrayList<>();
    for (int i = 0; i < REQUESTS; i++) {
      boolean cached = random.nextInt(3) == 0;
      String path = cached ? anyCachedRead() : anyPath();
      String accept = cached ? any(List.of(JSON, PARTIAL)) : any(ACCEPTS);
      Cluster.Reply expected = both.direct().send("GET", path, accept, "", "");
      raiseVersion(i);
      Cluster.Reply actual = both.proxied().send("GET", path, accept, "", "");
      sources.merge(actual.header("Watchgate-Source"), 1, Integer::sum);
      if (!text(expected).equals(text(actual)) && !areReordered(expected, actual)) {
        differences.add(
            "%s (%s), from %s%n  expected %s%n  but was  %s"
                .formatted(
                    path,
                    accept,
                    actual.header("Watchgate-Source"),
                    difference(text(expected), text(actual)),
                    difference(text(actual), text(expected))));
      }
    }
    System.out.println("Reads compared with seed " + seed + ": " + sources);
    assertThat(differences.stream().limit(12)).as("seed %d", seed).isEmpty();
    for (String source : Arrays.asList("cache", "proven", "apiserver")) {
      assertThat(sources.getOrDefault(source, 0)).as(source).isGreaterThan(REQUESTS / 20);
    }
  }

  /**
   * Raises the cluster's version by a write to an object that no request reads. Otherwise most
   * pairs of answers would have the same version, and a comparison of it would fail only when
   * another component writes between the two.
   */
  private void raiseVersion(int number) {
    both.direct()
        .patch(
            SECRETS,
            "default",
            "reads",
            "{\"metadata\":{\"annotations\":{\"number\":\"" + number + "\"}}}");
  }

  /**
   * Returns whether two answers are equal but for the order of members. The metadata of a custom
   * resource has the order of its own object, where an apiserver has that of its Go type.
   */
  private static boolean areReordered(Cluster.Reply one, Cluster.Reply other) {
    return one.code() == 200
        && one.code() == other.code()
        && one.body().contains("PartialObjectMetadata")
        && one.body().contains("e2e.watchgate.io")
        && Json.parse(withoutVersions(one.body()))
            .equals(Json.parse(withoutVersions(other.body())));
  }

  /** Returns the start of a text, and what it has around its first difference to another. */
  private static String difference(String text, String other) {
    int index = 0;
    while (index < Math.min(text.length(), other.length())
        && text.charAt(index) == other.charAt(index)) {
      index++;
    }
    return text.substring(0, Math.min(text.length(), 100))
        + " ... "
        + text.substring(Math.max(0, index - 150), Math.min(text.length(), index + 150));
  }

  /** Code, media type, encoding and body, without what depends on the moment of the request. */
  private static String text(Cluster.Reply reply) {
    return String.join(
        " ",
        Integer.toString(reply.code()),
        reply.contentType(),
        reply.header("Content-Encoding"),
        withoutVersions(reply.body()));
  }

  private static String withoutVersions(String body) {
    return body
        // of a list as a whole
        .replaceAll(
            "(\"metadata\":\\{[^{}\\[\\]]*\"resourceVersion\":\")\\d+(\"[^{}\\[\\]]*\\},?\"items\")",
            "$1N$2")
        .replaceAll("(\\],\"kind\":\"\\w+List\",\"metadata\":.*\"resourceVersion\":\")\\d+", "$1N")
        .replaceAll("(\"resourceVersion\": \")\\d+(\"\\s*(?:,|\\}))", "$1N$2")
        .replaceAll("(?m)(^metadata:\\R(?:  \\w+: \\S+\\R)*  resourceVersion: \")\\d+", "$1N")
        .replaceAll("(  continue: )\\S+", "$1...")
        .replaceAll("(\"continue\": ?)\"[^\"]+\"", "$1\"...\"")
        .replaceAll(
            "(\"kind\":\"Table\",\"apiVersion\":\"[^\"]+\",\"metadata\":\\{\"resourceVersion\":\")\\d+",
            "$1N")
        .replaceAll("\"[0-9]+(?:s|m|h|m[0-9]+s)\"", "\"AGE\"");
  }

  private static JsonNode json(Cluster at, String path) {
    return Json.parse(at.send("GET", path, JSON, "", "").body());
  }

  @Test
  void droppedManagedFields_areTheOnlyDifference() {
    for (String path : List.of("/api/v1/configmaps", "/api/v1/namespaces/reads/pods")) {
      Cluster.Reply dropped =
          both.proxied().send("GET", path, JSON + ";drop=metadata.managedFields", "", "");
      assertThat(dropped.header("Watchgate-Source")).isEqualTo("proven");
      JsonNode whole = json(both.direct(), path);
      assertThat(whole.toString()).contains("managedFields");
      whole
          .get("items")
          .forEach(item -> ((ObjectNode) item.get("metadata")).remove("managedFields"));
      assertThat(Json.parse(dropped.body()).get("items")).isEqualTo(whole.get("items"));
    }
  }

  /**
   * Waits until the gateway has reached a version of the apiserver, which may be that of a write to
   * another type, known by the next bookmark: until then, for 3 s at most, a request for it waits,
   * and then it is relayed.
   */
  private void awaitReached(String reached) {
    String path = "/api/v1/namespaces/reads/configmaps?limit=1&resourceVersion=" + reached;
    await(path).atMost(Duration.ofMinutes(3)).until(() -> source(path).equals("cache"));
  }

  @Test
  void pages_continueOnTheOtherSide() {
    List<Cluster> sides = List.of(both.direct(), both.proxied());
    for (String start :
        List.of("", "&resourceVersion=" + version + "&resourceVersionMatch=Exact")) {
      for (int first = 0; first < 2; first++) {
        List<String> names = new ArrayList<>();
        String token = "";
        int side = first;
        do {
          String more = token.isEmpty() ? start : "&continue=" + token;
          String path = "/api/v1/namespaces/reads/configmaps?limit=4" + more;
          Cluster.Reply reply = sides.get(side).send("GET", path, JSON, "", "");
          if (sides.get(side) == both.proxied()) {
            assertThat(reply.header("Watchgate-Source"))
                .as(() -> path + "\n" + counts())
                .isEqualTo(more.isEmpty() ? "proven" : "cache");
          }
          JsonNode page = Json.parse(reply.body());
          page.get("items").forEach(item -> names.add(item.at("/metadata/name").textValue()));
          token = page.at("/metadata/continue").asText();
          side = 1 - side;
          awaitReached(page.at("/metadata/resourceVersion").asText());
        } while (!token.isEmpty());
        assertThat(names).hasSize(25).doesNotHaveDuplicates().isSorted();
      }
    }
  }
}
