package io.watchgate.e2e.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.kube.Widgets;
import io.watchgate.table.ColumnDefinition;
import io.watchgate.table.JsonView;
import io.watchgate.table.TypeColumns;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Comparison of tables. The server's table contains every object in its row, so both sides print
 * the same objects.
 */
@WithSharedApiserver
class TableTest {
  private static final String NAMESPACE = "printed";

  @Test
  void columnsAndCells_equalApiserver(Apiserver apiserver) throws Exception {
    Cluster cluster = apiserver.cluster();
    cluster.createNamespace(NAMESPACE);
    Set<Resource> types = new LinkedHashSet<>();
    for (Sample sample : Sample.all(NAMESPACE)) {
      sample.create(cluster, NAMESPACE);
      types.add(sample.type());
    }
    Widgets.install(cluster);
    cluster.create(Widgets.V1, Widgets.widget(NAMESPACE, "one", "{\"size\":1}"));
    types.add(Widgets.V1);
    types.add(Resource.NAMESPACES);
    types.add(Resource.DEFINITIONS);

    Map<String, Integer> compared = new HashMap<>();
    for (Resource type : types) {
      compared.merge(type.apiVersion() + " " + type.plural(), compare(cluster, type), Integer::sum);
    }

    assertThat(compared).containsEntry("v1 pods", 16).containsEntry("v1 services", 7);
    assertThat(compared).hasSize(19).allSatisfy((type, rows) -> assertThat(rows).isPositive());
    for (String held : List.of("terminating", "lost")) {
      cluster.patch(Resource.PODS, NAMESPACE, held, "{\"metadata\":{\"finalizers\":null}}");
    }
  }

  /** Compares all rows and returns their number. */
  private static int compare(Cluster cluster, Resource type) {
    TypeColumns columns = TypeColumns.of(type.apiVersion(), type.kind());
    boolean namespaced =
        !List.of("namespaces", "customresourcedefinitions").contains(type.plural());
    String namespace = namespaced ? Sample.namespaceOf(type, NAMESPACE) : "";
    Instant before = Instant.now();
    JsonNode table = cluster.table(type, namespace);
    Instant after = Instant.now();

    List<ColumnDefinition> expected = new ArrayList<>();
    for (JsonNode column : table.get("columnDefinitions")) {
      expected.add(
          new ColumnDefinition(
              column.get("name").textValue(),
              column.get("type").textValue(),
              column.get("format").textValue(),
              "",
              column.get("priority").intValue()));
    }
    assertThat(columns.definitions().stream().map(TableTest::withoutDescription))
        .as("the columns of %s", type.plural())
        .isEqualTo(expected);
    for (JsonNode row : table.get("rows")) {
      assertThat(printed(columns, row.get("object"), before, after))
          .as("one of the rows that can be printed meanwhile of %s", row.get("object"))
          .contains(row.get("cells"));
    }
    return table.get("rows").size();
  }

  private static ColumnDefinition withoutDescription(ColumnDefinition column) {
    assertThat(column.description()).as(column.name()).isNotBlank();
    return new ColumnDefinition(
        column.name(), column.type(), column.format(), "", column.priority());
  }

  /** Returns one row for each second that the request took, because ages are in seconds. */
  private static List<JsonNode> printed(
      TypeColumns columns, JsonNode object, Instant before, Instant after) {
    JsonView view = JsonView.of(object.toString().getBytes(StandardCharsets.UTF_8));
    List<JsonNode> rows = new ArrayList<>();
    Instant now = before;
    for (; now.isBefore(after); now = now.plus(Duration.ofMillis(500))) {
      rows.add(Json.parse(columns.cells(view, now).toString()));
    }
    rows.add(Json.parse(columns.cells(view, after).toString()));
    return rows;
  }
}
