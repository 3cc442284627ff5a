package io.watchgate.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import com.google.gson.JsonObject;
import io.watchgate.cache.Freshness;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeLease;
import io.watchgate.cache.UpstreamState.ReflectorPhase;
import io.watchgate.cache.WatchCache;
import io.watchgate.http.ApiPath;
import io.watchgate.http.ServedResource;
import io.watchgate.http.StatusException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of types that are added, changed and removed with their definitions. */
final class CustomTypesTest {
  private static final String DEFINITIONS =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  private static final String V1 = "/apis/example.com/v1/namespaces/default/widgets";
  private static final String V2 = "/apis/example.com/v2/namespaces/default/widgets";
  private static final String DEFINITION =
      """
      {"metadata":{"name":"widgets.example.com"},
       "spec":{"group":"example.com","scope":"Namespaced",
        "names":{"plural":"widgets","kind":"Widget","shortNames":["wd"]},
        "versions":[
         {"name":"v1","served":true,"storage":true,
          "schema":{"openAPIV3Schema":{"type":"object"}},
          "selectableFields":[{"jsonPath":".spec.color"}]},
         {"name":"v2","served":true,"storage":false,
          "schema":{"openAPIV3Schema":{"type":"object"}}}]}}\
      """;
  private static final String WIDGET =
      """
      {"kind":"Widget","apiVersion":"example.com/v1","spec":{"size":1.0,"color":"red"},
       "metadata":{"name":"w"}}\
      """;

  private final SandboxUnderTest sandbox = new SandboxUnderTest();

  @AfterEach
  void close() {
    sandbox.close();
  }

  @Test
  void definedType_isServedInAllVersionsAtOnce() throws StatusException {
    JsonObject definition = sandbox.post(DEFINITIONS, DEFINITION);
    assertThat(JsonTree.objects(definition, "status", "conditions"))
        .extracting(condition -> JsonTree.text(condition, "type"))
        .containsExactly("NamesAccepted", "Established");

    assertThat(widgets())
        .extracting(type -> type.type().version(), TypeDefinition::selectableFields)
        .containsExactly(tuple("v2", List.of()), tuple("v1", List.of("spec.color")));
    assertThat(widgets())
        .allMatch(
            type -> type.definitionUid().equals(JsonTree.text(definition, "metadata", "uid")));

    sandbox.post(V1, WIDGET);
    assertThat(new String(sandbox.bytes(V2 + "/w"), StandardCharsets.UTF_8))
        .startsWith("{\"apiVersion\":\"example.com/v2\",\"kind\":\"Widget\",\"metadata\":{\"crea")
        .endsWith("\"spec\":{\"color\":\"red\",\"size\":1.0}}");
    sandbox.merge(V2 + "/w", "{\"spec\":{\"color\":\"blue\"}}");
    assertThat(JsonTree.text(sandbox.get(V1 + "/w"), "spec", "color")).isEqualTo("blue");
  }

  private List<TypeDefinition> widgets() {
    return sandbox.sandbox.catalog().resources().stream()
        .map(ServedResource::definition)
        .filter(type -> type.type().resource().equals("widgets"))
        .toList();
  }

  @Test
  void changedDefinition_endsWatchesAndKeepsObjects() throws StatusException {
    sandbox.post(DEFINITIONS, DEFINITION);
    sandbox.post(V1, WIDGET);
    WatchCache before = sandbox.cache(V1);

    sandbox.merge(
        DEFINITIONS + "/widgets.example.com", "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
    assertThat(sandbox.cache(V1)).isSameAs(before);

    sandbox.merge(
        DEFINITIONS + "/widgets.example.com", "{\"spec\":{\"names\":{\"shortNames\":[\"x\"]}}}");
    WatchCache after = sandbox.cache(V1);
    assertThat(before.upstreamState().phase()).isEqualTo(ReflectorPhase.GONE);
    assertThat(after.upstreamState().phase()).isEqualTo(ReflectorPhase.WATCHING);
    assertThat(sandbox.has(V1 + "/w")).isTrue();
    assertThat(after.revisionAtOrBefore(Objects.requireNonNull(before.head()).version()))
        .as("no stream resumes from the state before")
        .isNull();
  }

  @Test
  void fullSandbox_definitionWithAnotherVersion_isRefused() throws StatusException {
    try (SandboxUnderTest small = new SandboxUnderTest(40_000)) {
      small.post(
          DEFINITIONS, DEFINITION.replace("\"v2\",\"served\":true", "\"v2\",\"served\":false"));
      small.post(V1, WIDGET.replace("red", "x".repeat(20_000)));
      String definition = DEFINITIONS + "/widgets.example.com";
      JsonObject before = small.get(definition);
      String more =
          DEFINITION.substring(DEFINITION.indexOf("\"versions\""), DEFINITION.length() - 2);
      assertThatThrownBy(() -> small.merge(definition, "{\"spec\":{" + more + "}}"))
          .isInstanceOfSatisfying(StatusException.class, e -> assertThat(e.code()).isEqualTo(507));
      assertThat(small.get(definition)).isEqualTo(before);
      small.delete(V1 + "/w");
      small.merge(definition, "{\"spec\":{" + more + "}}");
      assertThat(small.get(definition)).isNotEqualTo(before);
    }
  }

  @Test
  void writeDuringDefinitionChange_isStoredOrRefused() throws Exception {
    sandbox.post(DEFINITIONS, DEFINITION);
    int writers = 4;
    try (ExecutorService pool = Executors.newFixedThreadPool(writers)) {
      AtomicBoolean over = new AtomicBoolean();
      List<Future<List<String>>> written = new ArrayList<>();
      for (int writer = 0; writer < writers; writer++) {
        String prefix = "w" + writer + "-";
        written.add(pool.submit(() -> writeUntil(over, prefix)));
      }
      for (int i = 0; i < 40; i++) {
        sandbox.merge(
            DEFINITIONS + "/widgets.example.com",
            "{\"spec\":{\"names\":{\"shortNames\":[\"s" + i + "\"]}}}");
      }
      over.set(true);
      for (Future<List<String>> names : written) {
        assertThat(names.get()).allMatch(name -> sandbox.has(V1 + "/" + name));
      }
    }
  }

  /** Returns the names of the objects whose creation succeeded. */
  private List<String> writeUntil(AtomicBoolean over, String prefix) throws StatusException {
    List<String> names = new ArrayList<>();
    for (int i = 0; !over.get() && i < 400; i++) {
      try {
        sandbox.post(V1, WIDGET.replace("\"w\"", "\"" + prefix + i + "\""));
        names.add(prefix + i);
      } catch (StatusException e) {
        assertThat(e).hasMessage("storage is (re)initializing");
      }
    }
    return names;
  }

  @Test
  void sourceOpenedBeforeDefinitionChange_keepsItsVersion() throws Exception {
    sandbox.post(DEFINITIONS, DEFINITION);
    TypeLease before = sandbox.source(ApiPath.parse(V1).orElseThrow());
    ResourceVersion held = Objects.requireNonNull(before.cache().head()).version();
    sandbox.merge(
        DEFINITIONS + "/widgets.example.com", "{\"spec\":{\"names\":{\"shortNames\":[\"x\"]}}}");
    sandbox.post(V1, WIDGET);

    assertThat(before.cache().proveFresh().toCompletableFuture().join())
        .isInstanceOf(Freshness.Unproven.class);
    assertThat(Objects.requireNonNull(before.cache().head()).version())
        .as("it lacks the widget, so it must not claim to be as recent")
        .isEqualTo(held);
  }

  @Test
  void deletedDefinition_deletesItsObjects() throws StatusException {
    sandbox.post(DEFINITIONS, DEFINITION);
    sandbox.post(V1, WIDGET);
    WatchCache before = sandbox.cache(V1);
    sandbox.delete(DEFINITIONS + "/widgets.example.com");

    assertThat(Objects.requireNonNull(before.head()).state().size()).isZero();
    assertThat(before.upstreamState().phase()).isEqualTo(ReflectorPhase.GONE);
    assertThat(widgets()).isEmpty();
    assertThat(sandbox.has(DEFINITIONS + "/widgets.example.com")).isFalse();
    assertThatThrownBy(() -> sandbox.post(V1, WIDGET))
        .hasMessage("the server could not find the requested resource");
  }

  @Test
  void deletedDefinition_waitsForFinalizers() throws StatusException {
    sandbox.post(DEFINITIONS, DEFINITION);
    sandbox.post(V1, WIDGET.replace("\"w\"", "\"w\",\"finalizers\":[\"x.io/a\"]"));
    sandbox.delete(DEFINITIONS + "/widgets.example.com");
    assertThat(widgets()).hasSize(2);
    sandbox.merge(V1 + "/w", "{\"metadata\":{\"finalizers\":[]}}");
    assertThat(widgets()).isEmpty();
    assertThat(sandbox.has(DEFINITIONS + "/widgets.example.com")).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      textBlock =
          """
          "Namespaced"            | "Elsewhere"   | spec.scope: Unsupported value
          widgets.example.com     | things.x.com  | metadata.name: Invalid value
          "kind":"Widget",        |               | spec.names.kind: Required value
          "storage":true          | "storage":false | exactly one version marked as storage
          "served":true           | "served":false | one version that is served
          "v2"                    | "v1"          | spec.versions[1].name: Duplicate value
          .spec.color             | spec.color    | selectableFields[0].jsonPath: Invalid value
          .spec.color             | .metadata.name | must not point to fields in metadata
          {"openAPIV3Schema":{"type":"object"}} | {} | schema.openAPIV3Schema: Required value
          """,
      delimiter = '|')
  void invalidDefinition_isRefused(String what, String by, String message) {
    String definition = DEFINITION.replace(what, by == null ? "" : by);
    assertThatThrownBy(() -> sandbox.post(DEFINITIONS, definition))
        .isInstanceOfSatisfying(StatusException.class, e -> assertThat(e.code()).isEqualTo(422))
        .hasMessageContaining(message);
  }

  @Test
  void definitionScope_isImmutable() throws StatusException {
    sandbox.post(DEFINITIONS, DEFINITION);
    assertThatThrownBy(
            () ->
                sandbox.merge(
                    DEFINITIONS + "/widgets.example.com", "{\"spec\":{\"scope\":\"Cluster\"}}"))
        .hasMessageContaining("spec.scope: Invalid value: \"Cluster\": field is immutable");
  }
}
