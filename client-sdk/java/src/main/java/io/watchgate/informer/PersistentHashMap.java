package io.watchgate.informer;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Immutable hash trie with 32 branches per level. A modified copy shares all nodes except a path of
 * about three nodes. A node holds entries (key and value side by side) and child nodes; two bit
 * sets mark the branches in use. About 20 bytes an entry at 10,000 entries, without key and value.
 *
 * <p>Rejected: a copied {@code HashMap} (each write copies everything); a lock around a mutable map
 * (an iterating reader blocks the writer, or sees half of a change); a tree ordered by key (twice
 * the lookup cost, for an order that is not needed).
 */
final class PersistentHashMap<K, V> {
  private static final int BITS = 5;
  private static final int MASK = (1 << BITS) - 1;

  /** Shift of the last level with hash bits. Keys below it have equal hashes and form a list. */
  private static final int LAST_SHIFT = 30;

  private static final PersistentHashMap<Object, Object> EMPTY =
      new PersistentHashMap<>(new Node(0, 0, new Object[0]), 0);

  private final Node root;
  private final int size;

  private PersistentHashMap(Node root, int size) {
    this.root = root;
    this.size = size;
  }

  @SuppressWarnings("unchecked") // the empty map holds no values
  static <K, V> PersistentHashMap<K, V> empty() {
    return (PersistentHashMap<K, V>) EMPTY;
  }

  int size() {
    return size;
  }

  @SuppressWarnings("unchecked") // only put adds values
  @Nullable V get(K key) {
    return (V) root.get(key, spread(key), 0);
  }

  /** Returns this map with the entry added or replaced. */
  PersistentHashMap<K, V> put(K key, V value) {
    SizeChange change = new SizeChange();
    Node changed = root.put(key, value, spread(key), 0, change);
    return new PersistentHashMap<>(changed, change.sized ? size + 1 : size);
  }

  /** Returns this map without the key, or this map itself if the key is missing. */
  PersistentHashMap<K, V> remove(K key) {
    SizeChange change = new SizeChange();
    Node changed = root.remove(key, spread(key), 0, change);
    return change.sized ? new PersistentHashMap<>(changed, size - 1) : this;
  }

  /** Calls the action for all entries, in no order. */
  @SuppressWarnings("unchecked")
  void forEach(BiConsumer<? super K, ? super V> action) {
    root.forEach((BiConsumer<Object, Object>) action);
  }

  /** Mixes the hash, because hash codes of long strings barely differ in their lower bits. */
  private static int spread(Object key) {
    int hash = key.hashCode() * 0x9E3779B9;
    return hash ^ (hash >>> 15);
  }

  /** Result of a modification: whether the number of entries changed. */
  private static final class SizeChange {
    boolean sized;
  }

  /**
   * @param entries bit set of branches with entries; zero in the last level
   * @param nodes bit set of branches with child nodes
   * @param slots keys and values of the entries, then the child nodes
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by identity only
  private record Node(int entries, int nodes, Object[] slots) {

    private static boolean isLast(int shift) {
      return shift > LAST_SHIFT;
    }

    private static int bit(int hash, int shift) {
      return 1 << ((hash >>> shift) & MASK);
    }

    private int entry(int bit) {
      return 2 * Integer.bitCount(entries & (bit - 1));
    }

    private int child(int bit) {
      return 2 * Integer.bitCount(entries) + Integer.bitCount(nodes & (bit - 1));
    }

    private Node childAt(int index) {
      return (Node) slots[index];
    }

    @Nullable Object get(Object key, int hash, int shift) {
      Node node = this;
      for (int level = shift; !isLast(level); level += BITS) {
        int bit = bit(hash, level);
        if ((node.entries & bit) != 0) {
          int at = node.entry(bit);
          return node.slots[at].equals(key) ? node.slots[at + 1] : null;
        }
        if ((node.nodes & bit) == 0) {
          return null;
        }
        node = node.childAt(node.child(bit));
      }
      int at = node.indexInLastLevel(key);
      return at < 0 ? null : node.slots[at + 1];
    }

    /** Returns the index of the key in a node of the last level, or -1. */
    private int indexInLastLevel(Object key) {
      for (int i = 0; i < slots.length; i += 2) {
        if (slots[i].equals(key)) {
          return i;
        }
      }
      return -1;
    }

    Node put(Object key, Object value, int hash, int shift, SizeChange change) {
      if (isLast(shift)) {
        int at = indexInLastLevel(key);
        change.sized = at < 0;
        return at < 0
            ? new Node(0, 0, inserted(slots.length, 0, key, value))
            : new Node(0, 0, replaced(at + 1, value));
      }
      int bit = bit(hash, shift);
      if ((nodes & bit) != 0) {
        int at = child(bit);
        return new Node(
            entries, nodes, replaced(at, childAt(at).put(key, value, hash, shift + BITS, change)));
      }
      int at = entry(bit);
      if ((entries & bit) == 0) {
        change.sized = true;
        return new Node(entries | bit, nodes, inserted(at, 0, key, value));
      }
      Object other = slots[at];
      if (other.equals(key)) {
        return new Node(entries, nodes, replaced(at + 1, value));
      }
      change.sized = true;
      Node below = pair(other, slots[at + 1], spread(other), key, value, hash, shift + BITS);
      int nodeAt = child(bit) - 2;
      Object[] without = inserted(at, 2);
      Object[] with = new Object[without.length + 1];
      System.arraycopy(without, 0, with, 0, nodeAt);
      with[nodeAt] = below;
      System.arraycopy(without, nodeAt, with, nodeAt + 1, without.length - nodeAt);
      return new Node(entries & ~bit, nodes | bit, with);
    }

    private static Node pair(
        Object key,
        Object value,
        int hash,
        Object otherKey,
        Object otherValue,
        int otherHash,
        int shift) {
      if (isLast(shift)) {
        return new Node(0, 0, new Object[] {key, value, otherKey, otherValue});
      }
      int bit = bit(hash, shift);
      int otherBit = bit(otherHash, shift);
      if (bit == otherBit) {
        Node below = pair(key, value, hash, otherKey, otherValue, otherHash, shift + BITS);
        return new Node(0, bit, new Object[] {below});
      }
      boolean inOrder = Integer.compareUnsigned(bit, otherBit) < 0;
      return new Node(
          bit | otherBit,
          0,
          inOrder
              ? new Object[] {key, value, otherKey, otherValue}
              : new Object[] {otherKey, otherValue, key, value});
    }

    Node remove(Object key, int hash, int shift, SizeChange change) {
      if (isLast(shift)) {
        int at = indexInLastLevel(key);
        change.sized = at >= 0;
        return at < 0 ? this : new Node(0, 0, inserted(at, 2));
      }
      int bit = bit(hash, shift);
      if ((entries & bit) != 0) {
        int at = entry(bit);
        if (!slots[at].equals(key)) {
          return this;
        }
        change.sized = true;
        return new Node(entries & ~bit, nodes, inserted(at, 2));
      }
      if ((nodes & bit) == 0) {
        return this;
      }
      int at = child(bit);
      Node below = childAt(at).remove(key, hash, shift + BITS, change);
      if (!change.sized) {
        return this;
      }
      if (below.nodes != 0 || below.slots.length != 2) {
        return new Node(entries, nodes, replaced(at, below));
      }
      // A single entry moves up into its parent, so that a map's shape depends on its content only,
      // not on its modifications.
      int entryAt = entry(bit);
      Object[] without = new Object[slots.length - 1];
      System.arraycopy(slots, 0, without, 0, at);
      System.arraycopy(slots, at + 1, without, at, slots.length - at - 1);
      Node lifted = new Node(entries | bit, nodes & ~bit, without);
      return new Node(
          lifted.entries,
          lifted.nodes,
          lifted.inserted(entryAt, 0, below.slots[0], below.slots[1]));
    }

    private Object[] replaced(int at, Object by) {
      Object[] copy = slots.clone();
      copy[at] = by;
      return copy;
    }

    /**
     * Returns a copy of the slots with {@code insteadOf} slots at an index replaced by {@code
     * some}.
     */
    private Object[] inserted(int at, int insteadOf, Object... some) {
      Object[] copy = new Object[slots.length - insteadOf + some.length];
      System.arraycopy(slots, 0, copy, 0, at);
      System.arraycopy(some, 0, copy, at, some.length);
      System.arraycopy(
          slots, at + insteadOf, copy, at + some.length, slots.length - at - insteadOf);
      return copy;
    }

    void forEach(BiConsumer<Object, Object> action) {
      int below = slots.length - Integer.bitCount(nodes);
      for (int i = 0; i < below; i += 2) {
        action.accept(slots[i], slots[i + 1]);
      }
      for (int i = below; i < slots.length; i++) {
        childAt(i).forEach(action);
      }
    }
  }
}
