package io.watchgate.e2e.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.faults.Requests;
import io.watchgate.e2e.faults.Subscriber;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.RawWatch;
import io.watchgate.e2e.kube.Resource;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Pages for operators of a gateway before a real apiserver, over HTTP. */
@WithSharedApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class OperatorPagesTest {
  private static final String NAMESPACE = "operator-pages";

  private final HttpClient http = HttpClient.newHttpClient();
  private Cluster cluster;
  private Cluster readApi;
  private GatewayUnderTest gateway;
  private ManagedChannel channel;
  private Subscriber subscriber;

  @BeforeAll
  void start(Apiserver apiserver) {
    cluster = apiserver.cluster();
    cluster.createNamespace(NAMESPACE);
    gateway = GatewayUnderTest.startWithKubeApi(apiserver.kubeconfig(), GatewaySetup.AS_SERVED);
    channel = NettyChannelBuilder.forAddress("127.0.0.1", gateway.port()).usePlaintext().build();
    readApi = Cluster.plaintext(URI.create("http://127.0.0.1:" + gateway.kubePort()));
    // Begun: a watch over HTTP of a type that loads is relayed.
    subscriber =
        Subscriber.open(
                channel,
                Requests.watch("configmaps", NAMESPACE).setClientName("a subscriber").build())
            .begun();
    await().atMost(Subscriber.LIMIT).until(() -> !streams("client=a%20subscriber").isEmpty());
  }

  @AfterAll
  void stop() {
    subscriber.close();
    channel.shutdownNow();
    readApi.close();
    gateway.close();
    http.close();
  }

  private JsonNode page(String path) {
    return Json.parse(page(path, "application/json"));
  }

  private String page(String path, String form) {
    URI uri = URI.create("http://127.0.0.1:" + gateway.httpPort() + path);
    try {
      HttpResponse<String> response =
          http.send(
              HttpRequest.newBuilder(uri).header("Accept", form).build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(response.statusCode()).as(path + ": " + response.body()).isEqualTo(200);
      return response.body();
    } catch (IOException e) {
      throw new AssertionError(path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private List<JsonNode> streams(String query) {
    List<JsonNode> rows = new ArrayList<>();
    page("/debug/streams?" + query).get("streams").forEach(rows::add);
    return rows;
  }

  private String write(String name, String labels) {
    return cluster
        .create(
            Resource.CONFIGMAPS,
            Json.parse(
                """
                {"apiVersion":"v1","kind":"ConfigMap",
                 "metadata":{"namespace":"%s","name":"%s","labels":%s},"data":{"secret":"value"}}
                """
                    .formatted(NAMESPACE, name, labels)))
        .at("/metadata/resourceVersion")
        .textValue();
  }

  private void awaitReached(String version) {
    await()
        .atMost(Subscriber.LIMIT)
        .until(
            () ->
                Long.parseUnsignedLong(
                        page("/debug/types/configmaps").get("resourceVersion").asText())
                    >= Long.parseUnsignedLong(version));
  }

  @Test
  void streamsOfBothApis_areListed() {
    try (RawWatch watch =
        RawWatch.open(
            readApi,
            "/api/v1/namespaces/"
                + NAMESPACE
                + "/configmaps?watch=1&resourceVersion=0&labelSelector=app%3Dweb",
            "application/json")) {
      awaitReached(write("listed", "{\"app\":\"web\"}"));
      watch.awaitLine("\"name\":\"listed\"");

      await().untilAsserted(this::assertBothApisAreListed);
    }
    List<JsonNode> feeds = new ArrayList<>();
    page("/debug/feeds").get("feeds").forEach(feeds::add);
    assertThat(feeds).anyMatch(feed -> feed.get("streams").asInt() == 1);
  }

  private void assertBothApisAreListed() {
    List<JsonNode> streams = streams("type=configmaps");
    assertThat(streams).extracting(row -> row.get("api").asText()).contains("grpc", "kubernetes");
    assertThat(streams)
        .filteredOn(row -> row.get("api").asText().equals("kubernetes"))
        .first()
        .satisfies(
            row -> {
              assertThat(row.get("agent").asText()).isEqualTo("watchgate-e2e");
              assertThat(row.get("labels").asText()).isEqualTo("app=web");
              assertThat(row.get("namespaces").get(0).asText()).isEqualTo(NAMESPACE);
              assertThat(row.get("phase").asText()).isEqualTo("live");
            });
  }

  /** The verdict for each object is whether the apiserver lists it with the same selectors. */
  @Test
  void explanation_agreesWithTheApiserver() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<String> names = new ArrayList<>();
    String last = "";
    for (int i = 0; i < 20; i++) {
      Map<String, String> labels = new TreeMap<>();
      for (String key : List.of("a", "b", "c")) {
        if (random.nextBoolean()) {
          labels.put(key, List.of("x", "y", "1", "7").get(random.nextInt(4)));
        }
      }
      names.add("explained-" + i);
      last =
          write(
              names.getLast(),
              labels.entrySet().stream()
                  .map(label -> "\"%s\":\"%s\"".formatted(label.getKey(), label.getValue()))
                  .collect(Collectors.joining(",", "{", "}")));
    }
    awaitReached(last);
    List<String> requirements =
        List.of("a=x", "a!=x", "b in (x,y)", "b notin (1,7)", "c", "!c", "a>3", "b<5");
    for (int i = 0; i < 10; i++) {
      String labels =
          requirements.get(random.nextInt(requirements.size()))
              + ","
              + requirements.get(random.nextInt(requirements.size()));
      String fields =
          random.nextInt(3) == 0 ? "metadata.name!=explained-" + random.nextInt(20) : "";
      Set<String> listed = new TreeSet<>();
      cluster
          .list(
              Resource.CONFIGMAPS,
              NAMESPACE,
              Map.of("labelSelector", labels, "fieldSelector", fields))
          .get("items")
          .forEach(item -> listed.add(item.at("/metadata/name").asText()));
      for (String name : names) {
        JsonNode explained =
            page(
                "/debug/explain?type=configmaps&object=%s/%s&labels=%s&fields=%s"
                    .formatted(NAMESPACE, name, encoded(labels), encoded(fields)));
        assertThat(explained.get("matches").asBoolean())
            .as("seed %d, %s, labels %s, fields %s: %s", seed, name, labels, fields, explained)
            .isEqualTo(listed.contains(name));
        assertThat(explained.get("requirements").isEmpty()).isEqualTo(listed.contains(name));
      }
      JsonNode counted =
          page(
              "/debug/explain?type=configmaps&namespaces=%s&labels=%s&fields=%s"
                  .formatted(NAMESPACE, encoded(labels), encoded(fields)));
      assertThat(counted.get("matching").asInt())
          .as("seed %d, labels %s, fields %s: %s", seed, labels, fields, counted)
          .isEqualTo(listed.size());
      assertThat(counted.get("requirements"))
          .allSatisfy(
              row ->
                  assertThat(row.get("met").asInt() + row.get("unmet").asInt())
                      .isEqualTo(counted.get("counted").asInt()));
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  @Test
  void explanation_ofDeletedObject_saysWhenItWasDeleted() {
    awaitReached(write("deleted", "{}"));
    cluster.delete(Resource.CONFIGMAPS, NAMESPACE, "deleted");
    String path = "/debug/explain?type=configmaps&object=" + NAMESPACE + "/deleted";
    await().atMost(Subscriber.LIMIT).until(() -> !page(path).get("held").asBoolean());

    assertThat(page(path).get("lastChange").asText()).isEqualTo("deleted");
    assertThat(page(path).get("lastChangeVersion").asText()).matches("[0-9]+");
    assertThat(page(path).get("verdict").asText()).contains("the object was deleted");
    assertThat(page(path.replace("deleted", "never")).get("held").asBoolean()).isFalse();
  }

  @Test
  void pageOfType_hasItsLists() {
    JsonNode type =
        await()
            .until(
                () -> page("/debug/types/configmaps"),
                page -> page.get("phase").asText().equals("watching"));

    assertThat(type.get("phase").asText()).isEqualTo("watching");
    assertThat(type.get("failure").asText()).isEmpty();
    assertThat(type.get("events"))
        .anySatisfy(
            event -> {
              assertThat(event.get("event").asText()).isEqualTo("list");
              assertThat(event.get("reason").asText()).isEqualTo("initial");
            });
  }

  /** The documents name each page with its parameters, and no other page. */
  @Test
  void documentedPages_areThoseOfTheList() throws IOException {
    Set<String> listed = new TreeSet<>();
    page("/debug/list")
        .get("pages")
        .forEach(
            page -> {
              List<String> parameters = new ArrayList<>();
              page.get("parameters").forEach(parameter -> parameters.add(parameter.asText()));
              listed.add(page.get("path").asText() + " " + String.join(", ", parameters));
            });
    Set<String> documented = new TreeSet<>();
    Pattern row = Pattern.compile("\\| `(/[a-zA-Z/]*)` \\| ((?:`[a-z]+`(?:, )?)*) *\\|");
    for (String line :
        Files.readAllLines(Repository.root().resolve("docs/how-to/look-inside.md"))) {
      var matcher = row.matcher(line);
      if (matcher.lookingAt()) {
        documented.add(matcher.group(1) + " " + matcher.group(2).replace("`", ""));
      }
    }
    assertThat(documented).isEqualTo(listed);
  }

  /** Contents of objects are on no page. */
  @Test
  void pages_haveNoContentOfObjects() {
    awaitReached(write("content", "{\"label\":\"hidden\"}"));
    for (JsonNode page : page("/debug/list").get("pages")) {
      String path = page.get("path").asText().replace("NAME", "configmaps");
      if (!path.equals("/debug/explain") && !path.equals("/debug/jfr")) { // the second is no page
        assertThat(page(path).toString()).as(path).doesNotContain("hidden", "\"value\":\"value\"");
      }
    }
  }

  /** Each page with all of its parameters, in each form. */
  @Test
  void pages_areMadeInEachForm() {
    awaitReached(write("formed", "{}"));
    Map<String, String> values =
        Map.of(
            "type", "configmaps",
            "object", NAMESPACE + "/formed",
            "namespaces", NAMESPACE + ",default",
            "labels", "app=web",
            "fields", "metadata.name=formed",
            "limit", "5",
            "offset", "0");
    for (JsonNode page : page("/debug/list").get("pages")) {
      String path = page.get("path").asText().replace("NAME", "configmaps");
      List<String> query = new ArrayList<>();
      for (JsonNode parameter : page.get("parameters")) {
        String value = values.get(parameter.asText());
        if (value != null) {
          query.add(parameter.asText() + "=" + encoded(value));
        }
      }
      String request = path + "?" + String.join("&", query);
      if (!path.equals("/debug/jfr")) { // no page
        page(request);
        assertThat(page(request, "text/html")).as(request).contains("</html>");
        assertThat(page(request, "*/*")).as(request).isNotBlank();
      }
    }
  }
}
