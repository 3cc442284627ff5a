package io.watchgate.e2e.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.cache.CustomColumn;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.sandbox.EmbeddedSandbox;
import io.watchgate.table.JsonView;
import io.watchgate.table.TypeColumns;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Tests of a CustomResourceDefinition's columns: at a real apiserver, in the sandbox and in the
 * command.
 */
@WithSharedApiserver
class CustomColumnsTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final String NAMESPACE = "columns";
  private static final Resource GADGETS =
      new Resource("columns.watchgate.io", "v1", "gadgets", "Gadget");

  private static final List<CustomColumn> COLUMNS =
      List.of(
          column("Color", "string", 0, ".spec.color"),
          column("Size", "integer", 0, ".spec.size"),
          column("Ratio", "number", 1, ".spec.ratio"),
          column("On", "boolean", 0, ".spec.on"),
          column("Since", "date", 0, ".spec.since"),
          column("Ready", "string", 0, ".status.conditions[?(@.type==\"Ready\")].status"),
          column("Quoted", "string", 1, ".status.conditions[?(@.type=='Ready')].status"),
          column("First", "string", 1, ".spec.list[0]"),
          column("Last", "string", 1, ".spec.list[-1]"),
          column("Every", "string", 1, ".spec.list[*]"),
          column("Whole", "string", 1, ".spec.list"),
          column("Label", "string", 1, ".metadata.labels.a\\.io/b"),
          column("SizeText", "string", 1, ".spec.size"),
          column("OnText", "string", 1, ".spec.on"),
          column("ColorNumber", "integer", 1, ".spec.color"),
          column("RatioInteger", "integer", 1, ".spec.ratio"),
          column("SizeNumber", "number", 1, ".spec.size"),
          column("ColorDate", "date", 1, ".spec.color"),
          column("ColorOn", "boolean", 1, ".spec.color"),
          column("Age", "date", 0, ".metadata.creationTimestamp"));

  private static final List<String> SPECS =
      List.of(
          "{\"color\":\"red\",\"size\":3,\"ratio\":1.5,\"on\":true,\"since\":\"2020-01-01T00:00:00Z\","
              + "\"list\":[\"a\",\"b\"]}",
          "{}",
          "{\"color\":\"\",\"size\":0,\"ratio\":2,\"on\":false,\"since\":\"yesterday\",\"list\":[]}",
          "{\"color\":\"two\\nlines\",\"size\":-7,\"list\":[1]}");

  private static CustomColumn column(String name, String type, int priority, String path) {
    return new CustomColumn(name, type, "", "", priority, path);
  }

  private static String definition() {
    List<String> columns = new ArrayList<>();
    for (CustomColumn column : COLUMNS) {
      columns.add(
          Json.object()
              .put("name", column.name())
              .put("type", column.type())
              .put("priority", column.priority())
              .put("jsonPath", column.jsonPath())
              .toString());
    }
    return """
    {"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
     "metadata":{"name":"gadgets.columns.watchgate.io"},
     "spec":{"group":"columns.watchgate.io","scope":"Namespaced",
       "names":{"plural":"gadgets","singular":"gadget","kind":"Gadget"},
       "versions":[{"name":"v1","served":true,"storage":true,
         "additionalPrinterColumns":[%s],
         "schema":{"openAPIV3Schema":{"type":"object",
           "x-kubernetes-preserve-unknown-fields":true}}}]}}
    """
        .formatted(String.join(",", columns));
  }

  private static void fill(Cluster cluster) {
    cluster.createNamespace(NAMESPACE);
    cluster.create(Resource.DEFINITIONS, Json.parse(definition()));
    await()
        .atMost(LIMIT)
        .ignoreExceptions()
        .untilAsserted(() -> cluster.list(GADGETS, NAMESPACE, Map.of()));
    for (int i = 0; i < SPECS.size(); i++) {
      JsonNode gadget =
          Json.parse(
              """
              {"apiVersion":"columns.watchgate.io/v1","kind":"Gadget",
               "metadata":{"namespace":"%s","name":"g%d","labels":{"a.io/b":"c"}},"spec":%s,
               "status":{"conditions":[{"type":"Old","status":"False"},
                 {"type":"Ready","status":"True"}]}}
              """
                  .formatted(NAMESPACE, i, SPECS.get(i)));
      await().atMost(LIMIT).ignoreExceptions().untilAsserted(() -> cluster.create(GADGETS, gadget));
    }
  }

  @Test
  void columnsAndCells_equalApiserver(Apiserver apiserver) throws Exception {
    fill(apiserver.cluster());
    JsonNode expected = apiserver.cluster().table(GADGETS, NAMESPACE);
    TypeColumns columns = TypeColumns.of(GADGETS.apiVersion(), GADGETS.kind(), COLUMNS);

    assertThat(expected.get("rows")).hasSize(SPECS.size());
    for (JsonNode row : expected.get("rows")) {
      JsonView view = JsonView.of(row.get("object").toString().getBytes(StandardCharsets.UTF_8));
      assertThat(withoutAge(Json.parse(columns.cells(view, Instant.now()).toString())))
          .isEqualTo(withoutAge(row.get("cells")));
    }

    try (EmbeddedSandbox sandbox = new EmbeddedSandbox();
        Cluster own = Cluster.plaintext(sandbox.uri())) {
      fill(own);
      JsonNode table = own.table(GADGETS, NAMESPACE);
      assertThat(withoutNameText(table.get("columnDefinitions")))
          .isEqualTo(withoutNameText(expected.get("columnDefinitions")));
      for (int i = 0; i < SPECS.size(); i++) {
        assertThat(withoutAge(table.get("rows").get(i).get("cells")))
            .isEqualTo(withoutAge(expected.get("rows").get(i).get("cells")));
      }
    }

    try (GatewayUnderTest gateway =
        GatewayUnderTest.start(apiserver.kubeconfig(), GatewaySetup.QUICK)) {
      List<String> line =
          List.of("list", "gadgets", "-n", NAMESPACE, "--server", "127.0.0.1:" + gateway.port());
      // The command waits only for seconds for the columns, and prints the table without them.
      await()
          .atMost(LIMIT)
          .untilAsserted(
              () -> {
                List<String> table = printed(line);
                assertThat(table)
                    .first()
                    .asString()
                    .matches("NAME +COLOR +SIZE +ON +SINCE +READY +AGE");
                assertThat(table.get(1))
                    .matches("g0 +red +3 +true +\\d+y\\w* +True +(\\d+s|\\d+m(\\d+s)?)");
              });
      List<String> wide = new ArrayList<>(line);
      wide.addAll(List.of("-o", "wide"));
      String header = "NAME +COLOR +SIZE +RATIO +ON +SINCE +READY +QUOTED +.*COLORON +AGE";
      await()
          .atMost(LIMIT)
          .untilAsserted(() -> assertThat(printed(wide)).first().asString().matches(header));
    }
  }

  private static List<String> printed(List<String> line) {
    try (Command list = Command.start(line.toArray(String[]::new))) {
      var _ = list.awaitEnd();
      return List.copyOf(list.out());
    }
  }

  /** Removes the last column, the age, which may have changed by a second. */
  private static List<JsonNode> withoutAge(JsonNode cells) {
    List<JsonNode> rest = new ArrayList<>();
    cells.forEach(rest::add);
    rest.removeLast();
    return rest;
  }

  /**
   * Removes the name column, whose description is long at the apiserver and not printed by kubectl.
   */
  private static List<JsonNode> withoutNameText(JsonNode definitions) {
    List<JsonNode> rest = new ArrayList<>();
    definitions.forEach(rest::add);
    rest.removeFirst();
    return rest;
  }
}
