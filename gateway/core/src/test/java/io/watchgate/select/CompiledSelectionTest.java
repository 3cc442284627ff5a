package io.watchgate.select;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.watchgate.cache.ApiResource;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.json.JsonException;
import io.watchgate.json.KubeObject;
import io.watchgate.select.SelectionException.Reason;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CompiledSelectionTest {
  private static final Recorded RECORDED = new Recorded();
  private static final SelectableFields PODS = RECORDED.type("pods");
  private static final SelectableFields NODES = RECORDED.type("nodes");

  private static CompiledSelection pods(List<String> namespaces, String labels, String fields)
      throws SelectionException {
    return CompiledSelection.of(PODS, namespaces, labels, fields);
  }

  private static KubeObject pod(String namespace, String name, String labels) throws JsonException {
    String json =
        """
        {"metadata":{"name":"%s","namespace":"%s","uid":"u","resourceVersion":"1","labels":%s},\
        "spec":{"nodeName":"node-1"},"status":{"phase":"Running","podIP":"10.0.0.1"}}\
        """
            .formatted(name, namespace, labels);
    return KubeObject.read(json.getBytes(StandardCharsets.UTF_8), PODS.paths());
  }

  private static TypeDefinition widgets(String... fields) {
    return new TypeDefinition(
        new ApiResource("x.io", "v1", "widgets", "Widget", ApiResource.Scope.NAMESPACED),
        "widget",
        List.of(),
        List.of("list", "watch"),
        "uid-1",
        List.of(fields));
  }

  /** The CustomResourceDefinition was changed, or two apiservers know different ones. */
  @Test
  void fieldsInOtherOrder_areComparedByName() throws Exception {
    TypeDefinition held = widgets("spec.color", "spec.size");
    KubeObject widget =
        KubeObject.read(
            """
            {"metadata":{"name":"w","namespace":"a","uid":"u","resourceVersion":"1"},\
            "spec":{"color":"red","size":"large"}}\
            """
                .getBytes(StandardCharsets.UTF_8),
            SelectableFields.of(held).paths());
    for (TypeDefinition now :
        List.of(widgets("spec.size"), widgets("spec.size", "spec.color"), held)) {
      CompiledSelection asked =
          CompiledSelection.of(SelectableFields.of(now), List.of(), "", "spec.size=large");

      assertThat(asked.readWith(held)).isEqualTo(asked);
      assertThat(asked.readWith(held).matches(widget)).isTrue();
    }
  }

  @Test
  void namespacesLabelsAndFields_mustAllMatch() throws Exception {
    CompiledSelection selection = pods(List.of("b", "a"), "app=web", "spec.nodeName=node-1");
    assertThat(selection.matches(pod("a", "n", "{\"app\":\"web\"}"))).isTrue();
    assertThat(selection.matches(pod("b", "n", "{\"app\":\"web\"}"))).isTrue();
    assertThat(selection.matches(pod("ab", "n", "{\"app\":\"web\"}"))).isFalse();
    assertThat(selection.matches(pod("a", "n", "{\"app\":\"db\"}"))).isFalse();
    assertThat(
            pods(List.of("a"), "app=web", "spec.nodeName=node-2")
                .matches(pod("a", "n", "{\"app\":\"web\"}")))
        .isFalse();
    assertThat(pods(List.of(), "", "").matches(pod("a", "n", "{}"))).isTrue();
  }

  @Test
  void canonicalText_isStableForTokens() throws SelectionException {
    CompiledSelection selection =
        pods(List.of("b", "a", "b"), "x in (2,1), app==web", "status.phase!=Failed,spec.host=n");
    assertThat(selection.namespaces()).containsExactly("a", "b");
    assertThat(selection.canonical())
        .isEqualTo(
            """
            namespaces=a,b
            labels=app=web,x in (1,2)
            fields=spec.nodeName=n,status.phase!=Failed\
            """);
    assertThat(pods(List.of(), "", "").canonical()).isEqualTo("namespaces=\nlabels=\nfields=");
    assertThat(selection)
        .isEqualTo(
            pods(
                List.of("a", "b"),
                "app in (web),x in (1,2,2)",
                "spec.nodeName=n,status.phase!=Failed"))
        .isNotEqualTo(pods(List.of(), "", ""));
    assertThat(CompiledSelection.of(NODES, List.of(), "", ""))
        .as("of another type")
        .isNotEqualTo(pods(List.of(), "", ""));
  }

  @Test
  void valueWithLineFeed_isNoOtherLine() throws SelectionException {
    String text = "namespaces=\nlabels=a=1\nfields=";
    assertThat(pods(List.of(), "a=1", "").canonical()).isEqualTo(text);
    for (String value : List.of("", "x", "x\nlabels\\=a\\=1", "\n")) {
      assertThat(pods(List.of(), "", "metadata.name=" + value).canonical())
          .isEqualTo("namespaces=\nlabels=\nfields=metadata.name=" + value);
    }
  }

  @Test
  void emptyNamespace_isRefused() {
    assertError(PODS, List.of("a", ""), "", "", Reason.NAMESPACE_EMPTY, "selection.namespaces[1]");
    assertError(NODES, List.of(""), "", "", Reason.NAMESPACE_EMPTY, "selection.namespaces[0]");
  }

  @Test
  void clusterScopedType_refusesNamespaces() {
    assertError(NODES, List.of("a"), "", "", Reason.VALUE_INVALID, "selection.namespaces[0]");
    assertThatThrownBy(() -> CompiledSelection.of(NODES, List.of("a"), "", ""))
        .hasMessage(
            "nodes are cluster-scoped, so none is in namespace \"a\"; leave the namespace out");
  }

  @Test
  void invalidNamespace_isRefused() {
    for (String namespace :
        List.of("A", "a/b", "a.b", "-a", "a-", "é", "a b", "*", "a".repeat(64))) {
      assertError(
          PODS,
          List.of("a", "b", namespace),
          "",
          "",
          Reason.VALUE_INVALID,
          "selection.namespaces[2]");
    }
  }

  @Test
  void limits_areEnforced() throws SelectionException {
    String labels = "selection.label_selector";
    String fields = "selection.field_selector";
    String name = "metadata.name=";
    pods(Collections.nCopies(64, "a"), "", "");
    assertError(
        PODS, Collections.nCopies(65, "a"), "", "", Reason.TOO_COMPLEX, "selection.namespaces");

    pods(List.of(), "a" + " ".repeat(4095), name + "x".repeat(4096 - name.length()));
    assertError(PODS, List.of(), "a" + " ".repeat(4096), "", Reason.TOO_COMPLEX, labels);
    assertError(PODS, List.of(), "", name + "é".repeat(2042), Reason.TOO_COMPLEX, fields);

    pods(List.of(), repeat(64, "a%d"), repeat(64, name + "%d"));
    assertError(PODS, List.of(), repeat(65, "a%d"), "", Reason.TOO_COMPLEX, labels);
    assertError(PODS, List.of(), "", repeat(65, name + "%d"), Reason.TOO_COMPLEX, fields);

    pods(List.of(), "a in (%s),b in (%s)".formatted(repeat(128, "%d"), repeat(128, "%d")), "");
    assertError(
        PODS,
        List.of(),
        "a in (%s),b in (%s)".formatted(repeat(128, "%d"), repeat(129, "%d")),
        "",
        Reason.TOO_COMPLEX,
        labels);
  }

  private static String repeat(int times, String pattern) {
    return IntStream.range(0, times).mapToObj(pattern::formatted).collect(Collectors.joining(","));
  }

  private static void assertError(
      SelectableFields type,
      List<String> namespaces,
      String labels,
      String fields,
      Reason reason,
      String field) {
    assertThatThrownBy(() -> CompiledSelection.of(type, namespaces, labels, fields))
        .isInstanceOfSatisfying(
            SelectionException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(reason);
              assertThat(e.field()).isEqualTo(field);
            });
  }

  /** A requirement that is named is one without which the rest of the selection decides. */
  @Test
  void unmetRequirements_decideWhetherTheSelectionMatches() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<String> ofLabels =
        new ArrayList<>(
            List.of("a=x", "a!=x", "a in (x,y)", "a notin (y)", "b", "!b", "n>3", "n<3"));
    List<String> ofFields =
        new ArrayList<>(
            List.of(
                "metadata.name=p", "metadata.name!=p", "spec.nodeName=", "status.phase!=Failed"));
    for (int i = 0; i < 2_000; i++) {
      Collections.shuffle(ofLabels, random);
      Collections.shuffle(ofFields, random);
      List<String> labels = ofLabels.subList(0, random.nextInt(4));
      List<String> fields = ofFields.subList(0, random.nextInt(3));
      List<String> namespaces = random.nextBoolean() ? List.of() : List.of("c", "d");
      KubeObject view =
          pod(
              random.nextBoolean() ? "c" : "e",
              random.nextBoolean() ? "p" : "q",
              random.nextBoolean()
                  ? "{\"a\":\"x\",\"n\":\"%d\"}".formatted(random.nextInt(6))
                  : "{\"a\":\"y\",\"b\":\"\"}");
      CompiledSelection selection =
          pods(namespaces, String.join(",", labels), String.join(",", fields));
      List<String> expected = new ArrayList<>();
      if (!pods(namespaces, "", "").matches(view)) {
        expected.add("namespaces: c,d");
      }
      for (String field : fields) {
        if (!pods(List.of(), "", field).matches(view)) {
          expected.add("fields: " + field);
        }
      }
      for (String label : labels) {
        if (!pods(List.of(), label, "").matches(view)) {
          expected.add("labels: " + pods(List.of(), label, "").labels().canonical());
        }
      }
      assertThat(selection.unmetBy(view))
          .as("seed %d, %s", seed, selection)
          .containsExactlyInAnyOrderElementsOf(expected);
      assertThat(selection.unmetBy(view).isEmpty()).isEqualTo(selection.matches(view));
    }
  }

  @Test
  void matchingAllocatesNothing() throws Exception {
    CompiledSelection selection =
        pods(
            List.of("a", "b", "c"),
            "app in (api,web),!canary,tier!=x,version",
            "spec.nodeName=node-1,status.phase!=Failed,spec.hostNetwork=false,metadata.name=pod-1");
    KubeObject view = pod("c", "pod-1", "{\"app\":\"web\",\"version\":\"7\",\"other\":\"x\"}");
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    int matched = 0;
    for (int i = 0; i < 100; i++) {
      matched += selection.matches(view) ? 1 : 0;
    }
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 10_000; i++) {
      matched += selection.matches(view) ? 1 : 0;
    }
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000);
    assertThat(matched).isEqualTo(10_100);
  }
}
