package io.watchgate.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonNull;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.watchgate.cache.CustomColumn;
import io.watchgate.table.TypeColumns.Width;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests of printed columns of some types; an e2e test compares all types with a real apiserver.
 * Objects are written in lenient JSON.
 */
class TypeColumnsTest {
  private static final Instant NOW = Instant.parse("2026-01-01T01:00:00Z");
  private static final String CREATED =
      "metadata:{name:x,creationTimestamp:'2026-01-01T00:00:00Z'}";

  private static JsonView view(String lenientJson) {
    return new JsonView(JsonParser.parseString(lenientJson));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          v1                  | Node       | NAME STATUS ROLES AGE VERSION
          v1                  | Service    | NAME TYPE CLUSTER-IP EXTERNAL-IP PORT(S) AGE
          v1                  | Event      | LAST SEEN TYPE REASON OBJECT MESSAGE
          apps/v1             | Deployment | NAME READY UP-TO-DATE AVAILABLE AGE
          apiextensions.k8s.io/v1 | CustomResourceDefinition | NAME CREATED AT
          v1                  | Deployment | NAME AGE
          example.com/v1      | Widget     | NAME AGE
          """)
  void headers_equalKubectl(String apiVersion, String kind, String header) {
    assertThat(String.join(" ", TypeColumns.of(apiVersion, kind).header(Width.NARROW)))
        .isEqualTo(header);
  }

  @Test
  void wideTable_hasAllColumns() {
    assertThat(TypeColumns.of("v1", "Pod").header(Width.WIDE))
        .containsExactly(
            "NAME",
            "READY",
            "STATUS",
            "RESTARTS",
            "AGE",
            "IP",
            "NODE",
            "NOMINATED NODE",
            "READINESS GATES");
  }

  @Test
  void incompleteObject_hasACellPerColumn() {
    for (String kind :
        new String[] {"v1 Pod", "v1 Node", "v1 Service", "v1 Event", "batch/v1 Job"}) {
      String[] parts = kind.split(" ", -1);
      TypeColumns columns = TypeColumns.of(parts[0], parts[1]);

      assertThat(columns.cells(view("{}"), NOW)).as(kind).hasSameSizeAs(columns.definitions());
      assertThat(columns.cells(new JsonView(JsonNull.INSTANCE), NOW))
          .as(kind)
          .hasSameSizeAs(columns.definitions());
    }
  }

  @Test
  void cells_areTyped() {
    assertThat(
            TypeColumns.of("apps/v1", "ReplicaSet")
                .cells(view("{" + CREATED + ",spec:{replicas:3},status:{replicas:2}}"), NOW)
                .subList(0, 5))
        .containsExactly(
            new JsonPrimitive("x"),
            new JsonPrimitive(3),
            new JsonPrimitive(2),
            new JsonPrimitive(0),
            new JsonPrimitive("60m"));
  }

  @Test
  void objectWithOnlyAName_hasUnknownCells() {
    TypeColumns columns = TypeColumns.of("v1", "Namespace");

    assertThat(columns.texts("x", view("{}"), NOW, Width.NARROW))
        .containsExactly("x", "<unknown>", "<unknown>");
  }

  @Test
  void multilineCell_printsItsFirstLine() {
    assertThat(
            TypeColumns.of("v1", "Event")
                .texts("x", view("{" + CREATED + ",message:'one\\ntwo '}"), NOW, Width.NARROW)
                .getLast())
        .isEqualTo("one...");
    assertThat(
            TypeColumns.of("v1", "Event")
                .cells(view("{message:'one\\ntwo '}"), NOW)
                .get(6)
                .getAsString())
        .isEqualTo("one\ntwo");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {type:LoadBalancer}                                              | <pending>
          {type:LoadBalancer,externalIPs:['10.0.0.1']}                     | 10.0.0.1
          {type:ClusterIP}                                                 | <none>
          {type:ExternalName,externalName:example.com}                     | example.com
          {}                                                               | <unknown>
          """)
  void serviceExternalAddresses_arePrinted(String spec, String text) {
    assertThat(
            TypeColumns.of("v1", "Service")
                .texts("x", view("{" + CREATED + ",spec:" + spec + "}"), NOW, Width.NARROW)
                .get(3))
        .isEqualTo(text);
  }

  @Test
  void manyAddresses_printTheFirstThree() {
    String endpoints = String.join(",", Collections.nCopies(5, "{addresses:['10.0.0.1']}"));

    assertThat(
            TypeColumns.of("discovery.k8s.io/v1", "EndpointSlice")
                .texts(
                    "x", view("{" + CREATED + ",endpoints:[" + endpoints + "]}"), NOW, Width.NARROW)
                .subList(2, 4))
        .containsExactly("<unset>", "10.0.0.1,10.0.0.1,10.0.0.1 + 2 more...");
  }

  @Test
  void selectors_areSortedByKey() {
    assertThat(
            CellText.selector(
                view(
                    "{matchLabels:{z:'1',a:''},matchExpressions:[{key:m,operator:In,values:[y,x]},"
                        + "{key:b,operator:DoesNotExist},{key:c,operator:Exists},"
                        + "{key:n,operator:NotIn,values:[q]}]}")))
        .isEqualTo("a=,!b,c,m in (x,y),n notin (q),z=1");
  }

  private static CustomColumn column(String name, String type, int priority, String path) {
    return new CustomColumn(name, type, "", "", priority, path);
  }

  @Test
  void customColumns_onesThatCannotBeRead_areEmptyAlone() {
    TypeColumns columns =
        TypeColumns.of(
            "example.com/v1",
            "Widget",
            List.of(
                column("Phase", "string", 0, ".status.phase"),
                column("Bad", "string", 0, ".status..phase"),
                column("Worse", "integer", 0, "status[?(@"),
                column("None", "date", 0, ""),
                column("Odd", "quantity", 0, ".status.phase"),
                column("Wide", "integer", 1, ".spec.size")));
    JsonView object = view("{" + CREATED + ",status:{phase:Ready},spec:{size:4}}");

    assertThat(columns.header(Width.NARROW))
        .containsExactly("NAME", "PHASE", "BAD", "WORSE", "NONE", "ODD");
    assertThat(columns.texts("x", object, NOW, Width.WIDE))
        .containsExactly("x", "Ready", "", "", "", "", "4");
  }

  @Test
  void customColumns_withoutAny_areNameAndAge() {
    assertThat(TypeColumns.of("example.com/v1", "Widget", List.of()).header(Width.WIDE))
        .containsExactly("NAME", "AGE");
  }
}
