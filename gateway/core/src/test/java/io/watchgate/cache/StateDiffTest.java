package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.json.KubeObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StateDiffTest {

  private static KubeObject object(int number, int version) {
    return SampleObject.of("n" + number % 3, "%06d".formatted(number), version).view();
  }

  private static StateMap first(int size) {
    NavigableMap<byte[], KubeObject> objects = new TreeMap<>(Arrays::compareUnsigned);
    for (int i = 0; i < size; i++) {
      KubeObject object = object(i, 1);
      objects.put(object.key(), object);
    }
    return StateMap.ofSorted(new ArrayList<>(objects.values()));
  }

  private static NavigableMap<byte[], KubeObject> content(StateMap map, KeyRange range) {
    NavigableMap<byte[], KubeObject> objects = new TreeMap<>(Arrays::compareUnsigned);
    StateCursor cursor = map.cursor(range);
    for (KubeObject object = cursor.peek(); object != null; object = cursor.peek()) {
      objects.put(object.key(), object);
      cursor.advance();
    }
    return objects;
  }

  private static List<Change> naive(StateMap before, StateMap after, KeyRange range) {
    NavigableMap<byte[], KubeObject> old = content(before, range);
    NavigableMap<byte[], KubeObject> now = content(after, range);
    NavigableMap<byte[], KubeObject> keys = new TreeMap<>(old);
    keys.putAll(now);
    List<Change> changes = new ArrayList<>();
    for (byte[] key : keys.keySet()) {
      if (old.get(key) != now.get(key)) {
        changes.add(new Change(old.get(key), now.get(key)));
      }
    }
    return changes;
  }

  private static List<Change> all(StateDiff diff) {
    List<Change> changes = new ArrayList<>();
    for (Change change = diff.next(); change != null; change = diff.next()) {
      changes.add(change);
    }
    assertThat(diff.next()).isNull();
    return changes;
  }

  private static void check(StateMap before, StateMap after, KeyRange range) {
    List<Change> expected = naive(before, after, range);
    assertThat(all(new StateDiff(before, after, range)).equals(expected)).isTrue();
  }

  @Test
  void equalStates_haveNoDifference() {
    StateMap map = first(5_000);
    StateDiff diff = new StateDiff(map, map, KeyRange.ALL);
    assertThat(diff.next()).isNull();
    assertThat(diff.comparisons()).isLessThanOrEqualTo(2);
    assertThat(new StateDiff(StateMap.EMPTY, StateMap.EMPTY, KeyRange.ALL).next()).isNull();
  }

  @Test
  void emptyState_differsInAllObjects() {
    StateMap map = first(100);
    assertThat(all(new StateDiff(StateMap.EMPTY, map, KeyRange.ALL)))
        .hasSize(100)
        .allMatch(change -> change.old() == null);
    assertThat(all(new StateDiff(map, StateMap.EMPTY, KeyRange.ALL)))
        .hasSize(100)
        .allMatch(change -> change.now() == null);
  }

  @Test
  void recreatedObject_isOneChangeWithBothSides() {
    KubeObject old = SampleObject.of("a", "b", 1).view();
    KubeObject now = SampleObject.of("a", "b", 2).uid("other").view();
    StateMap before = StateMap.EMPTY.with(old);
    assertThat(all(new StateDiff(before, before.with(now), KeyRange.ALL)))
        .containsExactly(new Change(old, now));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 10, 100, 1_000})
  void cost_dependsOnDifferenceNotSize(int changes) {
    StateMap before = first(30_000);
    StateMap after = before;
    Random random = new Random(changes);
    for (int i = 0; i < changes; i++) {
      int number = random.nextInt(33_000);
      after =
          random.nextInt(4) == 0
              ? after.without(object(number, 1).key())
              : after.with(object(number, 2 + i));
    }
    StateDiff diff = new StateDiff(before, after, KeyRange.ALL);
    all(diff);
    // One leaf each, the nodes beside it on each level, and nodes moved by a split or a join.
    assertThat(diff.comparisons()).isLessThanOrEqualTo(8L + changes * 6L * BTreeNode.MAX);
    // A range may begin inside a node of each level, and the rest of that node is then visited.
    diff = new StateDiff(before, after, KeyRange.ofNamespace("n1"));
    all(diff);
    assertThat(diff.comparisons())
        .isLessThanOrEqualTo(3L * BTreeNode.MAX + changes * 6L * BTreeNode.MAX);
  }

  @Test
  void randomStates_haveNaiveDifference() {
    for (long seed = 0; seed < 80; seed++) {
      try {
        compare(new Random(seed));
      } catch (Throwable t) {
        throw new AssertionError("seed " + seed, t);
      }
    }
  }

  private static void compare(Random random) {
    int size = 1 << random.nextInt(13);
    StateMap before = first(random.nextInt(size + 1));
    StateMap after = before;
    for (int edits = 1 << random.nextInt(11); edits > 0; edits--) {
      int number = random.nextInt(size);
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> after = after.with(object(number, 2 + edits));
        case 3, 4 -> after = after.without(object(number, 1).key());
        default -> { // removes a run of neighbours: complete nodes, and trees change their depth
          for (int i = number; edits % 16 == 0 && i < Math.min(size, number + 200); i += 3) {
            after = after.without(object(i, 1).key());
          }
        }
      }
    }
    StateMap rebuilt = StateMap.ofSorted(new ArrayList<>(content(after, KeyRange.ALL).values()));
    StateMap unrelated = first(random.nextInt(size + 1));
    byte[] from = object(random.nextInt(size), 1).key();
    byte[] to = object(random.nextInt(size), 1).key();
    for (KeyRange range :
        List.of(
            KeyRange.ALL,
            KeyRange.ofNamespace("n" + random.nextInt(4)),
            new KeyRange(from, to),
            new KeyRange(from, null).after(from))) {
      check(before, after, range);
      check(after, before, range);
      check(after, rebuilt, range);
      check(before, rebuilt, range);
      check(unrelated, after, range);
    }
  }
}
