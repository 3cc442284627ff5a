package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.KeyRange;
import io.watchgate.cache.StateCursor;
import io.watchgate.cache.StateMap;
import io.watchgate.fanout.SharedScan.Waiting;
import io.watchgate.json.KubeObject;
import io.watchgate.select.CompiledSelection;
import io.watchgate.select.RandomSelections;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SharedScanTest {
  private final Map<Integer, List<KubeObject>> found = new HashMap<>();

  private void take(int who, KubeObject object) {
    found.computeIfAbsent(who, key -> new ArrayList<>()).add(object);
  }

  private static List<KubeObject> matching(StateMap state, CompiledSelection selection) {
    List<KubeObject> matching = new ArrayList<>();
    StateCursor cursor = state.cursor(KeyRange.ALL);
    for (KubeObject object = cursor.peek(); object != null; object = cursor.peek()) {
      if (selection.matches(object)) {
        matching.add(object);
      }
      cursor.advance();
    }
    return matching;
  }

  private static StateMap pods(RandomSelections random, int namespaces, int names) {
    StateMap state = StateMap.EMPTY;
    for (int i = 0; i < namespaces; i++) {
      for (int j = 0; j < names; j++) {
        state = state.with(random.object("n" + i, "p" + j));
      }
    }
    return state;
  }

  @ParameterizedTest(name = "{0}, seed {1}")
  @CsvSource({"pods, 1", "pods, 2", "nodes, 3", "events, 4"})
  void requests_getTheirMatchesInKeyOrder(String type, long seed) {
    Random random = new Random(seed);
    RandomSelections selections = new RandomSelections(type, random);
    StateMap state = StateMap.EMPTY;
    int delivered = 0;
    for (int round = 0; round < 200; round++) {
      state = state.with(selections.object());
      List<Waiting<Integer>> waiting = new ArrayList<>();
      for (int i = random.nextInt(20); i >= 0; i--) {
        waiting.add(new Waiting<>(selections.selection(), i));
      }
      found.clear();
      SharedScan<Integer> scan = new SharedScan<>(state, waiting, this::take);
      int most = 1 + random.nextInt(30);
      while (scan.run(most)) {}
      for (Waiting<Integer> one : waiting) {
        List<KubeObject> matching = matching(state, one.selection());
        assertThat(found.getOrDefault(one.requester(), List.of()))
            .as("%s", one.selection())
            .isEqualTo(matching);
        delivered += matching.size();
      }
    }
    assertThat(delivered).isGreaterThan(500);
  }

  @Test
  void manyRequests_readEachObjectOnce() {
    RandomSelections random = new RandomSelections("pods", new Random(1));
    StateMap state = pods(random, 5, 200);
    List<Waiting<Integer>> waiting = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      waiting.add(new Waiting<>(random.selection("", "spec.nodeName=node-" + i), i));
    }
    SharedScan<Integer> scan = new SharedScan<>(state, waiting, this::take);
    int steps = 1;
    while (scan.run(100)) {
      steps++;
    }
    assertThat(found).isEmpty();
    assertThat(steps).isEqualTo(5 + 10 + 1);
  }

  @Test
  void deliveries_countAsWork() {
    RandomSelections random = new RandomSelections("pods", new Random(1));
    StateMap state = pods(random, 1, 50);
    List<Waiting<Integer>> waiting = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      waiting.add(new Waiting<>(random.selection("x!=" + i, ""), i));
    }
    SharedScan<Integer> scan = new SharedScan<>(state, waiting, this::take);
    assertThat(scan.run(20)).as("all are filed").isTrue();
    int before = 0;
    while (scan.run(30)) {
      int now = found.values().stream().mapToInt(List::size).sum();
      assertThat(now - before).isLessThan(30 + 20);
      before = now;
    }
    assertThat(before).isEqualTo(20 * 50);
  }

  @Test
  void onlyRequestedRanges_areScanned() {
    RandomSelections random = new RandomSelections("pods", new Random(1));
    StateMap state = pods(random, 20, 100);
    List<Waiting<Integer>> waiting = new ArrayList<>();
    waiting.add(new Waiting<>(random.selection("", "metadata.namespace=n7"), 1));
    waiting.add(new Waiting<>(random.selection("", "metadata.namespace=n7,metadata.name=p1"), 2));
    waiting.add(new Waiting<>(random.selection("", "metadata.namespace=n8,metadata.name=p2"), 3));
    SharedScan<Integer> scan = new SharedScan<>(state, waiting, this::take);
    assertThat(scan.run(3 + 2 + 101 + 102)).isTrue();
    assertThat(scan.run(1)).isFalse();
    assertThat(found.get(1)).hasSize(100);
    assertThat(found.get(2)).hasSize(1);
    assertThat(found.get(3)).hasSize(1);
  }

  @Test
  void noRequestsOrNoObjects_findNothing() {
    RandomSelections random = new RandomSelections("pods", new Random(1));
    assertThat(new SharedScan<>(pods(random, 2, 2), List.of(), this::take).run(10)).isFalse();
    List<Waiting<Integer>> one = List.of(new Waiting<>(random.selection("", ""), 1));
    assertThat(new SharedScan<>(StateMap.EMPTY, one, this::take).run(10)).isFalse();
    assertThat(found).isEmpty();
  }

  @Test
  void contradictions_areNotScanned() {
    RandomSelections random = new RandomSelections("pods", new Random(1));
    List<Waiting<Integer>> one =
        List.of(new Waiting<>(random.selection("", "metadata.name=a,metadata.name=b"), 1));
    SharedScan<Integer> scan = new SharedScan<>(pods(random, 2, 20), one, this::take);
    assertThat(scan.run(2)).isFalse();
    assertThat(found).isEmpty();
  }
}
