package io.watchgate.sandbox.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.watchgate.sandbox.schema.SchemaField.Presence;
import io.watchgate.sandbox.schema.SchemaField.Strategy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests with objects in lenient JSON: unquoted names, single quotes. */
class SchemaTest {
  private static Schema of(String apiVersion, String kind) {
    return Schema.of(apiVersion, kind).orElseThrow();
  }

  private static JsonObject object(String text) {
    return JsonParser.parseString(text).getAsJsonObject();
  }

  @Test
  void field_hasMergeStrategy() {
    Schema spec = SchemaDefinitions.builtIn().schema("core.v1.PodSpec");

    assertThat(spec.field("containers"))
        .hasValueSatisfying(
            containers -> {
              assertThat(containers.type())
                  .isEqualTo(new SchemaType.ListOf(new SchemaType.Struct("core.v1.Container")));
              assertThat(containers.presence()).isEqualTo(Presence.REQUIRED);
              assertThat(containers.strategies()).containsExactly(Strategy.MERGE);
              assertThat(containers.mergeKey()).hasValue("name");
              assertThat(containers.listKeys()).containsExactly("name");
            });
    assertThat(spec.field("volumes"))
        .hasValueSatisfying(
            volumes ->
                assertThat(volumes.strategies())
                    .containsExactlyInAnyOrder(Strategy.MERGE, Strategy.RETAIN_KEYS));
    assertThat(spec.field("tolerations"))
        .hasValueSatisfying(tolerations -> assertThat(tolerations.strategies()).isEmpty());
    assertThat(spec.field("nodeSelector"))
        .hasValueSatisfying(
            selector ->
                assertThat(selector.type())
                    .isEqualTo(new SchemaType.MapOf(SchemaType.Scalar.STRING)));
    assertThat(spec.field("img")).isEmpty();
  }

  @Test
  void unknownKindsHaveNoSchema() {
    assertThat(Schema.of("v1", "Deployment")).isEmpty();
    assertThat(Schema.of("example.com/v1", "Widget")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "v1, Namespace",
    "v1, Pod",
    "v1, Node",
    "v1, Service",
    "v1, ConfigMap",
    "v1, Secret",
    "v1, Event",
    "v1, Binding",
    "events.k8s.io/v1, Event",
    "apps/v1, Deployment",
    "apps/v1, ReplicaSet",
    "apps/v1, StatefulSet",
    "apps/v1, DaemonSet",
    "batch/v1, Job",
    "batch/v1, CronJob",
    "coordination.k8s.io/v1, Lease",
    "discovery.k8s.io/v1, EndpointSlice",
    "apiextensions.k8s.io/v1, CustomResourceDefinition"
  })
  void reachableDefinitions_canBeParsed(String apiVersion, String kind) {
    Set<Schema> seen = new HashSet<>();
    Deque<Schema> open = new ArrayDeque<>(Set.of(of(apiVersion, kind)));
    while (!open.isEmpty()) {
      Schema next = open.pop();
      if (seen.add(next)) {
        next.fields().values().forEach(field -> addStructs(field.type(), open));
      }
    }
    assertThat(seen).hasSizeGreaterThan(2);
  }

  private static void addStructs(SchemaType type, Deque<Schema> to) {
    switch (type) {
      case SchemaType.Struct struct -> to.push(struct.schema());
      case SchemaType.ListOf list -> addStructs(list.element(), to);
      case SchemaType.MapOf map -> addStructs(map.value(), to);
      case SchemaType.Scalar _ -> {}
    }
  }

  @Test
  void unknownFields_areReportedInObjectOrder() throws Exception {
    JsonObject pod =
        object(
            "{kind:Pod,metadata:{name:p,labels:{any:x},foo:1},zzz:null,spec:{containers:[{name:a},"
                + "{name:b,img:x,resources:{limits:{cpu:'1'},w:1}}]},aaa:[{b:1}]}");

    assertThat(of("v1", "Pod").decode(pod).unknownFields())
        .containsExactly(
            "metadata.foo",
            "zzz",
            "spec.containers[1].img",
            "spec.containers[1].resources.w",
            "aaa");
    assertThat(
            Schema.strictError(
                of("v1", "Pod").decode(object("{a:1,spec:{foo:{}}}")).unknownFields()))
        .isEqualTo("strict decoding error: unknown field \"a\", unknown field \"spec.foo\"");
  }

  @Test
  void unknownFields_inNestedSchema_areReported() throws Exception {
    JsonObject definition =
        object(
            "{spec:{versions:[{schema:{openAPIV3Schema:{properties:{a:{type:object,fo:1,"
                + "default:{any:1}}}}}}]}}");

    assertThat(
            of("apiextensions.k8s.io/v1", "CustomResourceDefinition")
                .decode(definition)
                .unknownFields())
        .containsExactly("spec.versions[0].schema.openAPIV3Schema.properties.a.fo");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          unknown fields go            | {metadata:{name:p,foo:1}}        | {metadata:{name:p}}
          nulls go                     | {metadata:{name:p,labels:null},spec:null} | {metadata:{name:p}}
          empty lists and maps go      | {metadata:{labels:{},finalizers:[]}} | {metadata:{}}
          but not where required       | {spec:{containers:[]}}           | {spec:{containers:[]}}
          empty objects stay           | {spec:{securityContext:{}}}      | {spec:{securityContext:{}}}
          null in a map is empty       | {metadata:{labels:{a:null}}}     | {metadata:{labels:{a:''}}}
          null in a list is empty      | {metadata:{finalizers:[null]}}   | {metadata:{finalizers:['']}}
          numbers or texts             | {spec:{containers:[{livenessProbe:{httpGet:{port:80}},readinessProbe:{httpGet:{port:web}}}]}} | {spec:{containers:[{livenessProbe:{httpGet:{port:80}},readinessProbe:{httpGet:{port:web}}}]}}
          quantities as they are       | {spec:{overhead:{cpu:1,memory:'1Gi'}}} | {spec:{overhead:{cpu:1,memory:'1Gi'}}}
          """)
  void decode_keepsKnownFields(String what, String sent, String kept) throws Exception {
    JsonObject before = object(sent);

    assertThat(of("v1", "Pod").decode(before).object()).as(what).isEqualTo(object(kept));
    assertThat(before).as("is not changed").isEqualTo(object(sent));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {spec:{replicas:'three'}}                         | spec.replicas must be a 32-bit integer, not a string
          {spec:{replicas:3.0}}                             | spec.replicas must be a 32-bit integer, not the number 3.0
          {spec:{replicas:2147483648}}                      | spec.replicas must be a 32-bit integer, not the number 2147483648
          {spec:{paused:'true'}}                            | spec.paused must be a boolean, not a string
          {spec:[]}                                         | spec must be an object, not an array
          {metadata:{labels:{a:1}}}                         | metadata.labels.a must be a string, not the number 1
          {metadata:{creationTimestamp:yesterday}}          | metadata.creationTimestamp must be a time such as 2026-01-31T00:00:00Z, not a string
          {spec:{template:{spec:{containers:[{name:true}]}}}} | spec.template.spec.containers[0].name must be a string, not a boolean
          {spec:{template:{spec:{containers:{}}}}}          | spec.template.spec.containers must be an array, not an object
          """)
  void valueOfWrongType_isRefused(String sent, String message) {
    assertThatThrownBy(() -> of("apps/v1", "Deployment").decode(object(sent)))
        .isInstanceOf(SchemaException.class)
        .hasMessage(message);
  }
}
