package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.json.KubeObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StateMapTest {

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static List<KubeObject> all(StateMap map, KeyRange range) {
    List<KubeObject> objects = new ArrayList<>();
    StateCursor cursor = map.cursor(range);
    for (KubeObject object = cursor.peek(); object != null; object = cursor.peek()) {
      objects.add(object);
      cursor.advance();
    }
    assertThat(cursor.peek()).isNull();
    return objects;
  }

  private static StateMap ofSorted(int count) {
    List<KubeObject> objects = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      objects.add(SampleObject.of("ns", "%06d".formatted(i), 1).view());
    }
    return StateMap.ofSorted(objects);
  }

  /**
   * Returns the depth of a tree; fails if a node is reached twice, is too deep, or has too many
   * children.
   */
  private static int checkShape(BTreeNode node) {
    assertThat(node.count()).isLessThanOrEqualTo(BTreeNode.MAX);
    if (!(node instanceof BTreeNode.Branch branch)) {
      return 1;
    }
    assertThat(branch.count()).isPositive();
    Set<Integer> depths = new HashSet<>();
    for (BTreeNode child : branch.children) {
      assertThat(child.count()).isPositive();
      depths.add(checkShape(child));
    }
    assertThat(depths).as("all leaves are equally deep").hasSize(1);
    return 1 + depths.iterator().next();
  }

  @Test
  void emptyMap_containsNothing() {
    assertThat(StateMap.EMPTY.size()).isZero();
    assertThat(StateMap.EMPTY.get(utf8("a/b"))).isNull();
    assertThat(StateMap.EMPTY.without(utf8("a/b"))).isSameAs(StateMap.EMPTY);
    assertThat(all(StateMap.EMPTY, KeyRange.ALL)).isEmpty();
    assertThat(StateMap.ofSorted(List.of())).isSameAs(StateMap.EMPTY);
  }

  @Test
  void order_isByBytesOfNamespaceSlashName() {
    StateMap map = StateMap.EMPTY;
    for (String[] key :
        new String[][] {
          {"o", "a"}, {"o-a", "z"}, {"o.b", "a"}, {"o0", "a"}, {"o", "é"}, {"o", "z"}, {"", "o"}
        }) {
      map = map.with(SampleObject.of(key[0], key[1], 1).view());
    }
    assertThat(all(map, KeyRange.ALL))
        .extracting(object -> new String(object.key(), StandardCharsets.UTF_8))
        .containsExactly("o", "o-a/z", "o.b/a", "o/a", "o/z", "o/é", "o0/a");
    assertThat(all(map, KeyRange.ofNamespace("o")))
        .extracting(KubeObject::name)
        .containsExactly("a", "z", "é");
  }

  @Test
  void sameKey_replacesAndCountsOnce() {
    KubeObject first = SampleObject.of("a", "b", 1).padding(100).view();
    KubeObject second = SampleObject.of("a", "b", 2).padding(300).view();
    StateMap map = StateMap.EMPTY.with(first).with(second);
    assertThat(map.size()).isEqualTo(1);
    assertThat(map.objectBytes()).isEqualTo(second.retainedBytes());
    assertThat(map.get(first.key())).isSameAs(second);
    assertThat(map.without(first.key()).objectBytes()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 31, 32, 33, 64, 65, 1_023, 1_024, 1_025, 33_000})
  void mapOfAnySize_isBuiltAndEmptied(int size) {
    StateMap map = ofSorted(size);
    checkShape(map.root);
    List<KubeObject> objects = all(map, KeyRange.ALL);
    assertThat(objects)
        .hasSize(size)
        .isSortedAccordingTo((a, b) -> StateMap.compare(a.key(), b.key()));
    Collections.shuffle(objects, new Random(size));
    for (KubeObject object : objects) {
      assertThat(map.get(object.key())).isSameAs(object);
      map = map.without(object.key());
    }
    assertThat(map.size()).isZero();
    assertThat(map.objectBytes()).isZero();
    assertThat(all(map, KeyRange.ALL)).isEmpty();
  }

  @Test
  void change_copiesOnePathOnly() {
    StateMap map = ofSorted(20_000);
    Set<BTreeNode> before = nodes(map.root);
    KubeObject object = SampleObject.of("ns", "010000", 2).view();
    Set<BTreeNode> added = nodes(map.with(object).root);
    added.removeAll(before);
    assertThat(added).hasSize(checkShape(map.root));
    Set<BTreeNode> removed = nodes(map.without(object.key()).root);
    removed.removeAll(before);
    assertThat(removed).hasSize(checkShape(map.root));
  }

  private static Set<BTreeNode> nodes(BTreeNode root) {
    Set<BTreeNode> nodes = Collections.newSetFromMap(new IdentityHashMap<>());
    nodes.add(root);
    if (root instanceof BTreeNode.Branch branch) {
      for (BTreeNode child : branch.children) {
        nodes.addAll(nodes(child));
      }
    }
    return nodes;
  }

  @Test
  void afterManyDeletes_treeStaysLow() {
    StateMap map = ofSorted(33_000);
    assertThat(checkShape(map.root)).isEqualTo(4);
    for (int i = 0; i < 33_000; i++) {
      if (i % 1_000 != 0) {
        map = map.without(utf8("ns/%06d".formatted(i)));
      }
    }
    assertThat(map.size()).isEqualTo(33);
    assertThat(checkShape(map.root)).isLessThanOrEqualTo(3);
  }

  @Test
  void keyBelowFirstKey_isFoundAfterBranchesJoin() {
    int leaves = 2 * BTreeNode.MAX;
    StateMap map = ofSorted(leaves * BTreeNode.MAX);
    int right = leaves / 2;
    map = withoutLeaves(map, right - 20, right + 1);
    byte[] key = utf8("ns/%06d".formatted(right * BTreeNode.MAX));
    map = map.with(SampleObject.of("ns", "%06d".formatted(right * BTreeNode.MAX), 2).view());
    map = withoutLeaves(map, right + BTreeNode.JOIN_BELOW - 1, leaves);
    assertThat(((BTreeNode.Branch) map.root).children[0])
        .as("joined")
        .isInstanceOf(BTreeNode.Leaf.class);
    assertThat(map.get(key)).isNotNull();
    assertThat(map.without(key).size()).isEqualTo(map.size() - 1);
  }

  private static StateMap withoutLeaves(StateMap map, int from, int to) {
    StateMap result = map;
    for (int i = from * BTreeNode.MAX; i < to * BTreeNode.MAX; i++) {
      result = result.without(utf8("ns/%06d".formatted(i)));
    }
    return result;
  }

  @Tag("slow")
  @Test
  void behavesLikeSortedMap() {
    for (long seed = 0; seed < 100; seed++) {
      try {
        againstTreeMap(new Random(seed));
      } catch (Throwable t) {
        throw new AssertionError("seed " + seed, t);
      }
    }
  }

  /**
   * Compares with a TreeMap over thousands of keys, so that branches split and join. Runs of
   * neighbours are removed and added, so that nodes become empty and bounds change.
   */
  private static void againstTreeMap(Random random) {
    NavigableMap<byte[], KubeObject> model = new TreeMap<>(Arrays::compareUnsigned);
    int keys = 1 << (4 + random.nextInt(10));
    StateMap map = StateMap.EMPTY;
    if (random.nextBoolean()) {
      for (int i = 0; i < keys; i += 1 + random.nextInt(3)) {
        KubeObject object = object(i, 1);
        model.put(object.key(), object);
      }
      map = StateMap.ofSorted(new ArrayList<>(model.values()));
    }
    for (int round = 0; round < 40; round++) {
      boolean growing = random.nextInt(3) == 0;
      int start = random.nextInt(keys);
      int run = 1 + random.nextInt(growing ? Math.max(2, keys / 8) : keys / 2);
      int step = random.nextBoolean() ? 1 : 1 + random.nextInt(3);
      boolean mixed = random.nextBoolean();
      StateMap before = map;
      List<KubeObject> held = round % 10 == 0 ? all(before, KeyRange.ALL) : List.of();
      for (int i = start; i < Math.min(keys, start + run); i += step) {
        KubeObject object = object(i, round);
        boolean otherWay = mixed && random.nextInt(10) == 0;
        if (growing != otherWay) {
          map = map.with(object);
          model.put(object.key(), object);
        } else {
          map = map.without(object.key());
          model.remove(object.key());
        }
      }
      if (!held.isEmpty()) {
        assertThat(all(before, KeyRange.ALL).equals(held)).as("older maps do not change").isTrue();
      }
      compare(map, model, random, keys);
    }
  }

  private static KubeObject object(int i, int version) {
    return SampleObject.of("n" + i % 2, "%05d".formatted(i / 2), version + 1).view();
  }

  private static void compare(
      StateMap map, NavigableMap<byte[], KubeObject> model, Random random, int keys) {
    checkShape(map.root);
    assertThat(map.size()).isEqualTo(model.size());
    assertThat(map.objectBytes())
        .isEqualTo(model.values().stream().mapToLong(KubeObject::retainedBytes).sum());
    assertThat(all(map, KeyRange.ALL).equals(new ArrayList<>(model.values()))).isTrue();
    for (KubeObject object : model.values()) {
      assertThat(map.get(object.key())).isSameAs(object);
    }
    for (int i = 0; i < 5; i++) {
      byte[] from = object(random.nextInt(keys), 0).key();
      byte[] to = object(random.nextInt(keys), 0).key();
      assertThat(all(map, new KeyRange(from, null)))
          .isEqualTo(new ArrayList<>(model.tailMap(from, true).values()));
      assertThat(all(map, new KeyRange(from, null).after(from)))
          .isEqualTo(new ArrayList<>(model.tailMap(from, false).values()));
      if (StateMap.compare(from, to) <= 0) {
        assertThat(all(map, new KeyRange(from, to)))
            .isEqualTo(new ArrayList<>(model.subMap(from, true, to, false).values()));
      } else {
        assertThat(all(map, new KeyRange(from, to))).isEmpty();
      }
      KeyRange namespace = KeyRange.ofNamespace("n" + random.nextInt(4));
      byte[] end = namespace.to();
      assertThat(all(map, namespace))
          .isEqualTo(new ArrayList<>(model.subMap(namespace.from(), end).values()));
    }
  }
}
