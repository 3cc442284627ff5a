package io.watchgate.cache;

import io.watchgate.json.KubeObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Node of a {@link StateMap}. All leaves have the same depth. Immutable once reachable. */
sealed interface BTreeNode {
  /** Best of 16, 32 and 64 for updates at 150,000 objects, measured. */
  int MAX = 32;

  /** Size below which a node is joined with a neighbour, if both fit into one. */
  int JOIN_BELOW = MAX / 4;

  @Nullable KubeObject get(byte[] key);

  /** Returns one node, or two if it had to be split. */
  BTreeNode[] with(KubeObject object);

  /** Returns this node without the object of that key, which must exist. May be empty. */
  BTreeNode without(byte[] key);

  /** Returns the number of children or objects. */
  int count();

  /**
   * Returns the smallest key at the creation of the node: above all keys to the left of this node.
   */
  byte[] firstKey();

  /**
   * Returns this node and its right neighbour in one node.
   *
   * @param bound key by which the parent separates the two. The neighbour's own first key is not
   *     usable: keys that were added to the neighbour's first child since may be below it.
   */
  BTreeNode join(BTreeNode right, byte[] bound);

  static BTreeNode build(List<KubeObject> objects) {
    List<BTreeNode> level = new ArrayList<>();
    int leaves = (objects.size() + MAX - 1) / MAX;
    for (int i = 0; i < leaves; i++) {
      int from = (int) ((long) objects.size() * i / leaves);
      int to = (int) ((long) objects.size() * (i + 1) / leaves);
      level.add(new Leaf(objects.subList(from, to).toArray(KubeObject[]::new)));
    }
    while (level.size() > 1) {
      List<BTreeNode> above = new ArrayList<>();
      int branches = (level.size() + MAX - 1) / MAX;
      for (int i = 0; i < branches; i++) {
        int from = (int) ((long) level.size() * i / branches);
        int to = (int) ((long) level.size() * (i + 1) / branches);
        above.add(Branch.of(level.subList(from, to).toArray(BTreeNode[]::new)));
      }
      level = above;
    }
    return level.getFirst();
  }

  /** Leaf with objects in order. */
  final class Leaf implements BTreeNode {
    final KubeObject[] objects;

    Leaf(KubeObject[] objects) {
      this.objects = objects;
    }

    /** Returns the index of the first object whose key is not below {@code key}. */
    int ceiling(byte[] key) {
      int low = 0;
      int high = objects.length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (StateMap.compare(objects[middle].key(), key) < 0) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }

    private boolean isAt(int index, byte[] key) {
      return index < objects.length && Arrays.equals(objects[index].key(), key);
    }

    @Override
    public @Nullable KubeObject get(byte[] key) {
      int index = ceiling(key);
      return isAt(index, key) ? objects[index] : null;
    }

    @Override
    public BTreeNode[] with(KubeObject object) {
      int index = ceiling(object.key());
      if (isAt(index, object.key())) {
        KubeObject[] copy = objects.clone();
        copy[index] = object;
        return new BTreeNode[] {new Leaf(copy)};
      }
      KubeObject[] copy = new KubeObject[objects.length + 1];
      System.arraycopy(objects, 0, copy, 0, index);
      copy[index] = object;
      System.arraycopy(objects, index, copy, index + 1, objects.length - index);
      if (copy.length <= MAX) {
        return new BTreeNode[] {new Leaf(copy)};
      }
      int middle = copy.length / 2;
      return new BTreeNode[] {
        new Leaf(Arrays.copyOf(copy, middle)),
        new Leaf(Arrays.copyOfRange(copy, middle, copy.length))
      };
    }

    @Override
    public BTreeNode without(byte[] key) {
      int index = ceiling(key);
      KubeObject[] copy = new KubeObject[objects.length - 1];
      System.arraycopy(objects, 0, copy, 0, index);
      System.arraycopy(objects, index + 1, copy, index, copy.length - index);
      return new Leaf(copy);
    }

    @Override
    public int count() {
      return objects.length;
    }

    @Override
    public byte[] firstKey() {
      return objects[0].key();
    }

    @Override
    public BTreeNode join(BTreeNode right, byte[] bound) {
      KubeObject[] others = ((Leaf) right).objects;
      KubeObject[] all = Arrays.copyOf(objects, objects.length + others.length);
      System.arraycopy(others, 0, all, objects.length, others.length);
      return new Leaf(all);
    }
  }

  /**
   * Inner node with children in order, and for each child but the first the bound between it and
   * the child before it. The first child takes all keys below the second's bound; its own bound is
   * not used.
   */
  final class Branch implements BTreeNode {
    final BTreeNode[] children;
    private final byte[][] firstKeys;

    private Branch(BTreeNode[] children, byte[][] firstKeys) {
      this.children = children;
      this.firstKeys = firstKeys;
    }

    static Branch of(BTreeNode[] children) {
      byte[][] firstKeys = new byte[children.length][];
      for (int i = 0; i < children.length; i++) {
        firstKeys[i] = children[i].firstKey();
      }
      return new Branch(children, firstKeys);
    }

    /** Returns the index of the only child that can contain {@code key}. */
    int childFor(byte[] key) {
      int low = 1;
      int high = children.length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (StateMap.compare(firstKeys[middle], key) <= 0) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low - 1;
    }

    @Override
    public @Nullable KubeObject get(byte[] key) {
      return children[childFor(key)].get(key);
    }

    @Override
    public BTreeNode[] with(KubeObject object) {
      int index = childFor(object.key());
      BTreeNode[] halves = children[index].with(object);
      if (halves.length == 1) {
        BTreeNode[] copy = children.clone();
        copy[index] = halves[0];
        return new BTreeNode[] {new Branch(copy, firstKeys)};
      }
      BTreeNode[] copy = new BTreeNode[children.length + 1];
      System.arraycopy(children, 0, copy, 0, index);
      copy[index] = halves[0];
      copy[index + 1] = halves[1];
      System.arraycopy(children, index + 1, copy, index + 2, children.length - index - 1);
      byte[][] keys = new byte[copy.length][];
      System.arraycopy(firstKeys, 0, keys, 0, index + 1);
      keys[index + 1] = halves[1].firstKey();
      System.arraycopy(firstKeys, index + 1, keys, index + 2, firstKeys.length - index - 1);
      if (copy.length <= MAX) {
        return new BTreeNode[] {new Branch(copy, keys)};
      }
      int middle = copy.length / 2;
      return new BTreeNode[] {
        new Branch(Arrays.copyOf(copy, middle), Arrays.copyOf(keys, middle)),
        new Branch(
            Arrays.copyOfRange(copy, middle, copy.length),
            Arrays.copyOfRange(keys, middle, keys.length))
      };
    }

    @Override
    public BTreeNode without(byte[] key) {
      int index = childFor(key);
      BTreeNode child = children[index].without(key);
      int left = child.count() == 0 || child.count() >= JOIN_BELOW ? -1 : neighbour(index, child);
      if (child.count() == 0) {
        return splice(index, index + 1, null);
      }
      if (left < 0) {
        return splice(index, index + 1, child);
      }
      byte[] bound = firstKeys[left + 1];
      BTreeNode joined =
          left < index ? children[left].join(child, bound) : child.join(children[index + 1], bound);
      return splice(left, left + 2, joined);
    }

    /**
     * Returns the left index of the pair in which the child at {@code index} can be joined, or -1.
     */
    private int neighbour(int index, BTreeNode child) {
      if (index > 0 && children[index - 1].count() + child.count() <= MAX) {
        return index - 1;
      }
      if (index + 1 < children.length && children[index + 1].count() + child.count() <= MAX) {
        return index;
      }
      return -1;
    }

    private Branch splice(int from, int to, @Nullable BTreeNode replacement) {
      int added = replacement == null ? 0 : 1;
      int length = children.length - (to - from) + added;
      BTreeNode[] nodes = new BTreeNode[length];
      byte[][] keys = new byte[length][];
      System.arraycopy(children, 0, nodes, 0, from);
      System.arraycopy(firstKeys, 0, keys, 0, from);
      if (replacement != null) {
        nodes[from] = replacement;
        keys[from] = firstKeys[from];
      }
      System.arraycopy(children, to, nodes, from + added, children.length - to);
      System.arraycopy(firstKeys, to, keys, from + added, children.length - to);
      return new Branch(nodes, keys);
    }

    @Override
    public int count() {
      return children.length;
    }

    @Override
    public byte[] firstKey() {
      return firstKeys[0];
    }

    @Override
    public BTreeNode join(BTreeNode right, byte[] bound) {
      Branch other = (Branch) right;
      BTreeNode[] nodes = Arrays.copyOf(children, children.length + other.children.length);
      System.arraycopy(other.children, 0, nodes, children.length, other.children.length);
      byte[][] keys = Arrays.copyOf(firstKeys, nodes.length);
      System.arraycopy(other.firstKeys, 0, keys, firstKeys.length, other.firstKeys.length);
      keys[firstKeys.length] = bound;
      return new Branch(nodes, keys);
    }
  }
}
