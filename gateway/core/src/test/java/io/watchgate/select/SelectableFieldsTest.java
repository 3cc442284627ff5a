package io.watchgate.select;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.json.JsonException;
import io.watchgate.json.KubeObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SelectableFieldsTest {
  private static final Recorded RECORDED = new Recorded();

  private static KubeObject read(SelectableFields fields, String metadata, String rest)
      throws JsonException {
    String json =
        "{\"metadata\":{\"name\":\"n\",\"uid\":\"u\",\"resourceVersion\":\"1\"%s}%s}"
            .formatted(metadata, rest);
    return KubeObject.read(json.getBytes(StandardCharsets.UTF_8), fields.paths());
  }

  @ParameterizedTest
  @CsvSource({
    "pods, spec.hostNetwork, false",
    "pods, spec.nodeName, ''",
    "pods, status.podIPs, ''",
    "nodes, spec.unschedulable, false",
    "replicationcontrollers, status.replicas, 0",
    "jobs.batch, status.successful, 0",
    "events, source, ''",
    "widgets.example.com, spec.count, ''",
    "persistentvolumes, metadata.namespace, ''",
    "configmaps, metadata.namespace, ''",
    "configmaps, metadata.name, n",
  })
  void absentField_readsAsInApiserver(String type, String field, String value)
      throws JsonException {
    SelectableFields fields = RECORDED.type(type);
    assertThat(fields.value(read(fields, "", ""), field)).isEqualTo(value);
  }

  @Test
  void emptySource_readsReportingComponent() throws JsonException {
    SelectableFields fields = RECORDED.type("events");
    KubeObject both =
        read(fields, "", ",\"source\":{\"component\":\"s\"},\"reportingComponent\":\"r\"");
    KubeObject empty =
        read(fields, "", ",\"source\":{\"component\":\"\"},\"reportingComponent\":\"r\"");
    assertThat(fields.value(both, "source")).isEqualTo("s");
    assertThat(fields.value(empty, "source")).isEqualTo("r");
    assertThat(fields.value(empty, "reportingComponent")).isEqualTo("r");
  }

  @Test
  void names_areSortedWithoutAliases() {
    assertThat(RECORDED.type("pods").names())
        .isSorted()
        .contains("metadata.name", "metadata.namespace", "spec.nodeName", "status.podIPs")
        .doesNotContain("spec.host");
    assertThat(RECORDED.type("gadgets.example.com").names())
        .containsExactly("metadata.name", "spec.color");
    assertThat(RECORDED.type("deployments.apps").names())
        .containsExactly("metadata.name", "metadata.namespace");
  }

  @Test
  void sameNameInOtherGroup_hasNoBuiltInFields() {
    ApiResource pods =
        new ApiResource(
            "metrics.k8s.io", "v1beta1", "pods", "PodMetrics", ApiResource.Scope.NAMESPACED);
    assertThat(
            SelectableFields.of(new TypeDefinition(pods, "", List.of(), List.of(), "", List.of()))
                .names())
        .containsExactly("metadata.name", "metadata.namespace");
  }

  @Test
  void paths_areDistinct() {
    assertThat(RECORDED.type("events").paths().size()).isEqualTo(11);
    assertThat(RECORDED.type("configmaps").paths().size()).isZero();
  }

  @Test
  void unknownField_hasNoValue() throws JsonException {
    SelectableFields fields = RECORDED.type("pods");
    KubeObject view = read(fields, "", "");
    assertThatThrownBy(() -> fields.value(view, "spec.host"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("spec.host");
  }
}
