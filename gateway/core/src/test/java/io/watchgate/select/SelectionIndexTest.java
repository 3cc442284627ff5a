package io.watchgate.select;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.watchgate.json.JsonException;
import io.watchgate.json.KubeObject;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SelectionIndexTest {
  private static final SelectableFields PODS = new Recorded().type("pods");

  private final SelectionIndex<String> index = new SelectionIndex<>();

  private static CompiledSelection pods(String namespace, String labels, String fields)
      throws SelectionException {
    return CompiledSelection.of(
        PODS, namespace.isEmpty() ? List.of() : List.of(namespace), labels, fields);
  }

  private static KubeObject pod(String node, String labels) throws JsonException {
    String json =
        """
        {"metadata":{"name":"pod","namespace":"ns","uid":"u","resourceVersion":"1","labels":{%s}},\
        "spec":{"nodeName":"%s"},"status":{"phase":"Running"}}\
        """
            .formatted(labels, node);
    return KubeObject.read(json.getBytes(StandardCharsets.UTF_8), PODS.paths());
  }

  private static String numbers(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "v" + i).collect(Collectors.joining(","));
  }

  private List<String> found(@Nullable KubeObject old, @Nullable KubeObject now) {
    List<String> found = new ArrayList<>();
    index.match(
        old,
        now,
        (value, before, after) ->
            found.add(value + (before ? " before" : "") + (after ? " after" : "")));
    return found;
  }

  @Test
  void change_visitsOldAndNewSelections() throws Exception {
    index.add(pods("", "", "spec.nodeName=a"), "a");
    index.add(pods("", "", "spec.nodeName=b"), "b");
    index.add(pods("", "", "spec.nodeName=c"), "c");
    assertThat(found(pod("a", ""), pod("b", ""))).containsExactlyInAnyOrder("a before", "b after");
    assertThat(found(null, pod("b", ""))).containsExactly("b after");
    assertThat(found(pod("c", ""), null)).containsExactly("c before");
    assertThat(found(pod("c", ""), pod("c", ""))).containsExactly("c before after");
    assertThat(found(null, null)).isEmpty();
  }

  @Test
  void emptySelection_matchesEveryChange() throws Exception {
    index.add(pods("", "", ""), "all");
    assertThat(found(null, pod("a", ""))).containsExactly("all after");
    assertThat(found(pod("a", ""), pod("a", ""))).containsExactly("all before after");
    assertThat(found(null, null)).isEmpty();
  }

  @Test
  void severalMatchingValues_areVisitedOnce() throws Exception {
    index.add(pods("", "app in (x,y,z)", ""), "in");
    assertThat(found(pod("n", "\"app\":\"x\""), pod("n", "\"app\":\"y\"")))
        .containsExactly("in before after");
  }

  @Test
  void duplicateLabel_firstValueCounts() throws Exception {
    index.add(pods("", "app=x", ""), "x");
    index.add(pods("", "app=y", ""), "y");
    assertThat(found(null, pod("n", "\"app\":\"x\",\"app\":\"y\""))).containsExactly("x after");
  }

  @Test
  void sameSelection_canHaveSeveralValues() throws Exception {
    index.add(pods("", "app=x", ""), "one");
    index.add(pods("", "app=x", ""), "two");
    assertThat(index.size()).isEqualTo(2);
    index.remove("one");
    assertThat(found(null, pod("n", "\"app\":\"x\""))).containsExactly("two after");
  }

  @Test
  void unknownRemoveOrSecondAdd_isRefused() throws Exception {
    index.add(pods("", "app=x", ""), "one");
    assertThatThrownBy(() -> index.add(pods("", "app=y", ""), "one"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("added twice");
    assertThatThrownBy(() -> index.remove("two"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("never added");
    assertThat(index.size()).isEqualTo(1);
  }

  @Test
  void changeByVisitor_isRefused() throws Exception {
    CompiledSelection selection = pods("", "", "");
    index.add(selection, "one");
    KubeObject pod = pod("n", "");
    assertThatThrownBy(() -> index.match(null, pod, (value, before, after) -> index.remove(value)))
        .isInstanceOf(IllegalStateException.class);
    assertThat(found(null, pod)).as("the index works on").containsExactly("one after");
  }

  @Test
  void cost_dependsOnMatchesOnly() throws Exception {
    for (int i = 0; i < 5_000; i++) {
      index.add(pods("", "", "status.phase=Running,spec.nodeName=node-" + i), "v" + i);
      index.add(pods("", "tier!=x,app=app-" + i, ""), "w" + i);
      index.add(pods("ns-" + i, "part-of=all", "metadata.name=pod"), "x" + i);
    }
    long before = index.evaluated();
    assertThat(found(pod("node-1", ""), pod("node-2", "\"app\":\"app-3\",\"part-of\":\"all\"")))
        .containsExactlyInAnyOrder("v1 before", "v2 after", "w3 after");
    assertThat(index.evaluated() - before).isLessThan(50);
  }

  @Test
  void removedSelections_doNotCountAsLoad() throws Exception {
    for (int i = 0; i < 20; i++) {
      index.add(pods("", "app=x", ""), "v" + i);
    }
    for (int i = 1; i < 20; i++) {
      index.remove("v" + i);
    }
    index.add(pods("", "app=x,tier=y", ""), "w");
    assertThat(found(null, pod("n", "\"tier\":\"y\""))).isEmpty();
    assertThat(index.evaluated()).as("filed under app again").isZero();
  }

  @Test
  void matchingAllocatesNothing() throws Exception {
    for (int i = 0; i < 100; i++) {
      index.add(pods("", "", "spec.nodeName=node-" + i), "v" + i);
      index.add(pods("", "app in (a" + i + ",b)", ""), "w" + i);
    }
    KubeObject old = pod("node-1", "\"x\":\"y\",\"app\":\"a7\"");
    KubeObject now = pod("node-2", "\"x\":\"y\",\"app\":\"b\"");
    int[] found = {0};
    SelectionIndex.Visitor<String> visitor = (value, before, after) -> found[0]++;
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    index.match(old, now, visitor);
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 1_000; i++) {
      index.match(old, now, visitor);
    }
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(5_000);
    assertThat(found[0]).isEqualTo(1_001 * 102);
  }

  @Test
  void remove_releasesAllMemory() throws Exception {
    List<CompiledSelection> selections = new ArrayList<>();
    for (int i = 0; i < 25_000; i++) {
      selections.add(pods("", "", "spec.nodeName=node-" + i));
      selections.add(pods("", "app in (a" + i + ",b" + i / 2 + ")", ""));
      selections.add(pods("", "key-" + i % 1_000 + "=" + i, ""));
      selections.add(pods("", "app!=" + i, ""));
    }
    long empty = index.slots();
    for (int i = 0; i < selections.size(); i++) {
      index.add(selections.get(i), "v" + i);
    }
    assertThat(index.slots()).isGreaterThan(300_000);
    for (int i = 0; i < selections.size(); i++) {
      index.remove("v" + i);
    }
    assertThat(index.size()).isZero();
    assertThat(index.slots()).isLessThan(empty + 100);
    assertThat(found(null, pod("node-1", "\"app\":\"b\""))).isEmpty();
  }

  @Test
  void selectionsWithSameValues_shareEntries() throws Exception {
    String in = "app in (" + numbers(0, 256) + ")";
    CompiledSelection selection = pods("", in, "");
    for (int i = 0; i < 10_000; i++) {
      index.add(selection, "v" + i);
    }
    assertThat(index.slots()).isLessThan(100_000);
    assertThat(found(pod("n", "\"app\":\"v0\""), pod("n", "\"app\":\"v255\"")))
        .hasSize(10_000)
        .doesNotHaveDuplicates();
  }

  @Test
  void largestSelection_isFoundByEachValue() throws Exception {
    String keys =
        IntStream.range(0, 63)
            .mapToObj(i -> "k" + i + " notin (x)")
            .collect(Collectors.joining(","));
    index.add(pods("", keys + ",app in (" + numbers(0, 193) + ")", ""), "large");
    for (int i = 0; i < 193; i++) {
      assertThat(found(null, pod("n", "\"app\":\"v" + i + "\""))).containsExactly("large after");
    }
    assertThat(found(null, pod("n", "\"k7\":\"x\",\"app\":\"v1\""))).isEmpty();
    assertThat(found(null, pod("n", "\"app\":\"v193\""))).isEmpty();
  }

  @Test
  void contradictorySelections_areNeverFound() throws Exception {
    index.add(pods("", "app=x,app=y", ""), "labels");
    index.add(pods("", "", "spec.nodeName=a,spec.nodeName=b"), "fields");
    index.add(pods("ns", "", "metadata.namespace=other"), "namespaces");
    assertThat(found(pod("a", "\"app\":\"x\""), pod("b", "\"app\":\"y\""))).isEmpty();
  }
}
