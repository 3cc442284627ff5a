package io.watchgate.e2e.kubeapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.KubeException;
import io.watchgate.e2e.kube.RawWatch;
import io.watchgate.e2e.kube.Resource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Cases of the Kubernetes conformance suite about lists and watches, at the apiserver, which
 * validates the cases, and at a gateway.
 */
@WithSharedApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ConformanceCasesTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final String JSON = "application/json";
  private static final String TABLE =
      "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
  private static final String STREAMING_LIST =
      "?watch=1&labelSelector=watch-this-configmap%3DA&sendInitialEvents=true"
          + "&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  private static final String MARKER = "\"k8s.io/initial-events-end\":\"true\"";
  private static final Resource GADGETS =
      new Resource("conformance.watchgate.io", "v1", "gadgets", "Gadget");
  private static final String GADGET_DEFINITION =
      """
      {"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
       "metadata":{"name":"gadgets.conformance.watchgate.io"},
       "spec":{"group":"conformance.watchgate.io","scope":"Namespaced",
         "names":{"plural":"gadgets","singular":"gadget","kind":"Gadget"},
         "versions":[{"name":"v1","served":true,"storage":true,
           "schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":
             {"type":"object","properties":{"color":{"type":"string"}}}}}},
           "selectableFields":[{"jsonPath":".spec.color"}]}]}}
      """;

  private static final AtomicInteger NAMESPACES = new AtomicInteger();

  private ProxiedApiserver both;

  @BeforeAll
  void start(Apiserver apiserver) {
    both = ProxiedApiserver.start(apiserver);
  }

  @AfterAll
  void stop() {
    both.direct().delete(Resource.DEFINITIONS, "", "gadgets.conformance.watchgate.io");
    both.close();
  }

  // ---- objects

  private String namespace() {
    String name = "conformance-" + NAMESPACES.incrementAndGet();
    both.direct().createNamespace(name);
    return name;
  }

  private static String maps(String namespace) {
    return "/api/v1/namespaces/" + namespace + "/configmaps";
  }

  /** Returns the version of the new object. */
  private String create(String namespace, String name, String label) {
    return version(
        both.direct()
            .create(
                Resource.CONFIGMAPS,
                Json.parse(
                    """
                    {"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"%s",
                     "name":"%s","labels":{"watch-this-configmap":"%s"}},"data":{"mutation":"0"}}
                    """
                        .formatted(namespace, name, label))));
  }

  private String mutate(String namespace, String name, int mutation) {
    return version(
        both.direct()
            .patch(
                Resource.CONFIGMAPS,
                namespace,
                name,
                "{\"data\":{\"mutation\":\"" + mutation + "\"}}"));
  }

  private void label(String namespace, String name, String label) {
    both.direct()
        .patch(
            Resource.CONFIGMAPS,
            namespace,
            name,
            "{\"metadata\":{\"labels\":{\"watch-this-configmap\":\"" + label + "\"}}}");
  }

  private void delete(String namespace, String name) {
    both.direct().delete(Resource.CONFIGMAPS, namespace, name);
  }

  private static String version(JsonNode object) {
    return object.at("/metadata/resourceVersion").textValue();
  }

  /** Returns the events so far, such as {@code MODIFIED one 1}, with the value of the mutation. */
  private static List<String> events(RawWatch watch) {
    List<String> events = new ArrayList<>();
    for (String line : watch.events()) {
      JsonNode event = Json.parse(line);
      JsonNode object = event.get("object");
      events.add(
          (event.get("type").textValue()
                  + " "
                  + object.at("/metadata/name").textValue()
                  + " "
                  + object.at("/data/mutation").asText())
              .strip());
    }
    return events;
  }

  private static void awaitEvents(RawWatch watch, String... expected) {
    await().atMost(LIMIT).untilAsserted(() -> assertThat(events(watch)).containsExactly(expected));
  }

  private static String selected(String labels) {
    return "?watch=1&labelSelector=" + labels;
  }

  // ---- watch

  /** "should observe add, update, and delete watch notifications on configmaps". */
  @ParameterizedTest
  @EnumSource
  void addUpdateAndDelete_areObserved(ProxiedApiserver.Server server) {
    String namespace = namespace();
    String path = maps(namespace);
    try (RawWatch a = open(server, path + selected("watch-this-configmap%3DA"));
        RawWatch b = open(server, path + selected("watch-this-configmap%3DB"));
        RawWatch either = open(server, path + selected("watch-this-configmap+in+%28A%2CB%29"))) {
      create(namespace, "one", "A");
      mutate(namespace, "one", 1);
      mutate(namespace, "one", 2);
      delete(namespace, "one");
      create(namespace, "two", "B");
      delete(namespace, "two");
      awaitEvents(a, "ADDED one 0", "MODIFIED one 1", "MODIFIED one 2", "DELETED one 2");
      awaitEvents(b, "ADDED two 0", "DELETED two 0");
      awaitEvents(
          either,
          "ADDED one 0",
          "MODIFIED one 1",
          "MODIFIED one 2",
          "DELETED one 2",
          "ADDED two 0",
          "DELETED two 0");
    }
  }

  private RawWatch open(ProxiedApiserver.Server server, String path) {
    return RawWatch.open(both.at(server), path, JSON);
  }

  /** "should be able to start watching from a specific resource version". */
  @ParameterizedTest
  @EnumSource
  void watch_beginsAfterAVersion(ProxiedApiserver.Server server) {
    String namespace = namespace();
    create(namespace, "one", "A");
    String first = mutate(namespace, "one", 1);
    mutate(namespace, "one", 2);
    delete(namespace, "one");
    try (RawWatch watch = open(server, maps(namespace) + "?watch=1&resourceVersion=" + first)) {
      awaitEvents(watch, "MODIFIED one 2", "DELETED one 2");
    }
  }

  /** "should be able to restart watching from the last resource version observed". */
  @ParameterizedTest
  @EnumSource
  void watch_beginsAgainAfterItsLastVersion(ProxiedApiserver.Server server) {
    String namespace = namespace();
    String last;
    try (RawWatch watch = open(server, maps(namespace) + "?watch=1")) {
      create(namespace, "one", "A");
      mutate(namespace, "one", 1);
      awaitEvents(watch, "ADDED one 0", "MODIFIED one 1");
      last = version(Json.parse(watch.events().getLast()).get("object"));
    }
    mutate(namespace, "one", 2);
    try (RawWatch watch = open(server, maps(namespace) + "?watch=1&resourceVersion=" + last)) {
      delete(namespace, "one");
      awaitEvents(watch, "MODIFIED one 2", "DELETED one 2");
    }
  }

  /** "should observe an object deletion if it stops meeting the requirements of the selector". */
  @ParameterizedTest
  @EnumSource
  void objectThatIsNoLongerSelected_isDeleted(ProxiedApiserver.Server server) {
    String namespace = namespace();
    try (RawWatch watch = open(server, maps(namespace) + selected("watch-this-configmap%3DA"))) {
      create(namespace, "one", "A");
      mutate(namespace, "one", 1);
      label(namespace, "one", "B");
      mutate(namespace, "one", 2);
      label(namespace, "one", "A");
      mutate(namespace, "one", 3);
      delete(namespace, "one");
      awaitEvents(
          watch,
          "ADDED one 0",
          "MODIFIED one 1",
          "DELETED one 1",
          "ADDED one 2",
          "MODIFIED one 3",
          "DELETED one 3");
    }
  }

  /** "should receive events on concurrent watches in same order". */
  @ParameterizedTest
  @EnumSource
  void concurrentWatches_haveTheSameOrder(ProxiedApiserver.Server server) {
    String namespace = namespace();
    List<String> versions = new ArrayList<>();
    versions.add(create(namespace, "one", "A"));
    IntStream.range(1, 30).forEach(i -> versions.add(mutate(namespace, "one", i)));
    List<RawWatch> watches = new ArrayList<>();
    try {
      for (String version : versions) {
        watches.add(open(server, maps(namespace) + "?watch=1&resourceVersion=" + version));
      }
      create(namespace, "last", "A");
      RawWatch longest = watches.getFirst();
      await().atMost(LIMIT).until(() -> events(longest).contains("ADDED last 0"));
      List<String> all = events(longest);
      assertThat(all).hasSize(versions.size());
      for (int i = 0; i < watches.size(); i++) {
        awaitEvents(watches.get(i), all.subList(i, all.size()).toArray(String[]::new));
      }
    } finally {
      watches.forEach(RawWatch::close);
    }
  }

  // ---- streaming lists

  private String fiveObjects() {
    String namespace = namespace();
    IntStream.rangeClosed(1, 5).forEach(i -> create(namespace, "m" + i, "A"));
    create(namespace, "other", "B");
    return namespace;
  }

  /**
   * "should be requested by informers when WatchListClient is enabled". The versions are those that
   * the options of client-go's lists lead to.
   */
  @ParameterizedTest
  @EnumSource
  void streamingList_isSelectedObjectsThenMarkerThenChanges(ProxiedApiserver.Server server) {
    String namespace = fiveObjects();
    int mutation = 1;
    for (String version : List.of("", "&resourceVersion=0")) {
      try (RawWatch watch = open(server, maps(namespace) + STREAMING_LIST + version)) {
        watch.awaitLine(MARKER);
        mutate(namespace, "m1", mutation);
        String last = "MODIFIED m1 " + mutation++;
        await().atMost(LIMIT).until(() -> events(watch).getLast().equals(last));
        List<String> initial =
            watch.lines().stream()
                .takeWhile(line -> !line.contains(MARKER))
                .map(ConformanceCasesTest::name)
                .toList();
        assertThat(initial).containsExactly("m1", "m2", "m3", "m4", "m5");
        assertThat(watch.lines().stream().filter(line -> line.contains(MARKER))).hasSize(1);
      }
    }
  }

  private static String name(String line) {
    return Json.parse(line).at("/object/metadata/name").asText();
  }

  /**
   * "should NOT be requested by client-go's List method when WatchListClient is enabled", and the
   * same of the dynamic and the metadata client: these list, also by metadata only.
   */
  @ParameterizedTest
  @EnumSource
  void list_hasTheSelectedObjects(ProxiedApiserver.Server server) {
    String path = maps(fiveObjects()) + "?labelSelector=watch-this-configmap%3DA";
    for (Map.Entry<String, String> kind :
        Map.of(
                JSON,
                "ConfigMapList",
                "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
                "PartialObjectMetadataList")
            .entrySet()) {
      JsonNode list = Json.parse(both.at(server).send("GET", path, kind.getKey(), "", "").body());
      assertThat(list.get("kind").textValue()).isEqualTo(kind.getValue());
      assertThat(list.get("items"))
          .extracting(item -> item.at("/metadata/name").textValue())
          .containsExactly("m1", "m2", "m3", "m4", "m5");
    }
  }

  /**
   * "doesn't support receiving resources as Tables" and "falls backs to supported content type when
   * when receiving resources as Tables was requested". These expect 406 and objects; the apiserver
   * here sends tables in both cases, and so must the gateway.
   */
  @ParameterizedTest
  @EnumSource
  void streamingListAsTable_isTables(ProxiedApiserver.Server server) {
    String path = maps(fiveObjects()) + STREAMING_LIST;
    for (String accept : List.of(TABLE, TABLE.substring(0, TABLE.indexOf(',')))) {
      try (RawWatch watch = RawWatch.open(both.at(server), path, accept)) {
        await().atMost(LIMIT).until(() -> watch.events().size() == 5);
        assertThat(watch.events())
            .extracting(line -> Json.parse(line).at("/object/rows/0/object/metadata/name").asText())
            .containsExactly("m1", "m2", "m3", "m4", "m5");
      }
    }
  }

  // ---- chunks

  /** "should return chunks of results for list calls". */
  @ParameterizedTest
  @EnumSource
  void chunks_haveOneVersionAndAllObjects(ProxiedApiserver.Server server) {
    String namespace = namespace();
    int objects = 40;
    IntStream.range(0, objects).forEach(i -> create(namespace, "c" + i, "A"));
    for (int limit : new int[] {1, 7, 39, 40, 100}) {
      Set<String> names = new HashSet<>();
      Set<String> versions = new HashSet<>();
      String more = "";
      do {
        JsonNode page =
            both.at(server)
                .list(
                    Resource.CONFIGMAPS,
                    namespace,
                    Map.of("limit", Integer.toString(limit), "continue", more));
        page.get("items").forEach(item -> names.add(item.at("/metadata/name").textValue()));
        versions.add(version(page));
        more = page.at("/metadata/continue").asText();
        int left = page.at("/metadata/remainingItemCount").asInt();
        assertThat(names.size() + left).as("limit %d", limit).isGreaterThanOrEqualTo(objects);
      } while (!more.isEmpty());
      assertThat(versions).hasSize(1);
      assertThat(names).hasSizeGreaterThanOrEqualTo(objects);
    }
  }

  // ---- tables

  /** "should return pod details", "should return chunks of table results for list calls". */
  @ParameterizedTest
  @EnumSource
  void tables_haveColumnsAndRows(ProxiedApiserver.Server server) {
    String namespace = namespace();
    create(namespace, "one", "A");
    create(namespace, "two", "A");
    JsonNode table = Json.parse(both.at(server).send("GET", maps(namespace), TABLE, "", "").body());
    assertThat(table.get("kind").textValue()).isEqualTo("Table");
    assertThat(table.get("columnDefinitions").size()).isGreaterThanOrEqualTo(2);
    assertThat(table.at("/columnDefinitions/0/name").textValue()).isEqualTo("Name");
    JsonNode page =
        Json.parse(both.at(server).send("GET", maps(namespace) + "?limit=1", TABLE, "", "").body());
    assertThat(page.get("rows").size()).isEqualTo(1);
    assertThat(page.at("/metadata/continue").textValue()).isNotEmpty();
  }

  // ---- custom resources

  /** "watch on custom resource definition objects", and the field selectors of such objects. */
  @ParameterizedTest
  @EnumSource
  void customResources_areWatchedAndSelectedByField(ProxiedApiserver.Server server) {
    String namespace = namespace();
    define();
    String path = "/apis/conformance.watchgate.io/v1/namespaces/" + namespace + "/gadgets";
    try (RawWatch all = open(server, path + "?watch=1");
        RawWatch red = open(server, path + "?watch=1&fieldSelector=spec.color%3Dred")) {
      both.direct().create(GADGETS, gadget(namespace, "one", "red"));
      both.direct().create(GADGETS, gadget(namespace, "two", "blue"));
      both.direct().patch(GADGETS, namespace, "two", "{\"spec\":{\"color\":\"red\"}}");
      both.direct().delete(GADGETS, namespace, "one");
      both.direct().delete(GADGETS, namespace, "two");
      awaitEvents(all, "ADDED one", "ADDED two", "MODIFIED two", "DELETED one", "DELETED two");
      awaitEvents(red, "ADDED one", "ADDED two", "DELETED one", "DELETED two");
    }
    assertThat(
            both.at(server).send("GET", path + "?fieldSelector=spec.size%3D1", JSON, "", "").code())
        .isEqualTo(400);
  }

  private void define() {
    try {
      both.direct().create(Resource.DEFINITIONS, Json.parse(GADGET_DEFINITION));
    } catch (KubeException e) {
      assertThat(e.code()).isEqualTo(409); // by the other server's case
    }
    await() // until then it is unknown, or its storage is initializing
        .atMost(LIMIT)
        .until(
            () -> both.direct().answerToWatch(GADGETS, "", Map.of("timeoutSeconds", "1")) == 200);
  }

  private static JsonNode gadget(String namespace, String name, String color) {
    return Json.parse(
        """
        {"apiVersion":"conformance.watchgate.io/v1","kind":"Gadget",
         "metadata":{"namespace":"%s","name":"%s"},"spec":{"color":"%s"}}
        """
            .formatted(namespace, name, color));
  }
}
