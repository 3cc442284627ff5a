package io.watchgate.informer;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An immutable map, of which one with another entry shares all but a path of about three nodes: a
 * hash trie with 32 branches a level. A node has entries (key and value side by side) and further
 * nodes, of which two bit sets tell which there are. About 20 bytes an entry, on 10,000 entries,
 * beside key and value.
 *
 * <p>Rejected: a copied {@code HashMap} (a write costs all), a lock around a mutable one (a reader
 * who walks holds up the writer, or sees half of a change), a tree ordered by key (twice the cost
 * of a look-up, for an order that nobody asks for).
 */
final class PersistentHashMap<K, V> {
  private static final int BITS = 5;
  private static final int MASK = (1 << BITS) - 1;

  /** Below this level hashes have no bits left: keys there have the same, and stand in a row. */
  private static final int LAST_SHIFT = 30;

  private static final PersistentHashMap<Object, Object> EMPTY =
      new PersistentHashMap<>(new Node(0, 0, new Object[0]), 0);

  private final Node root;
  private final int size;

  private PersistentHashMap(Node root, int size) {
    this.root = root;
    this.size = size;
  }

  @SuppressWarnings("unchecked") // it holds none
  static <K, V> PersistentHashMap<K, V> empty() {
    return (PersistentHashMap<K, V>) EMPTY;
  }

  int size() {
    return size;
  }

  @SuppressWarnings("unchecked") // values come in by put alone
  @Nullable V get(K key) {
    return (V) root.get(key, spread(key), 0);
  }

  /** This map with that entry in place of the one with the key, if there was one. */
  PersistentHashMap<K, V> put(K key, V value) {
    Change change = new Change();
    Node changed = root.put(key, value, spread(key), 0, change);
    return new PersistentHashMap<>(changed, change.sized ? size + 1 : size);
  }

  /** This map without the key; itself if it is not there. */
  PersistentHashMap<K, V> remove(K key) {
    Change change = new Change();
    Node changed = root.remove(key, spread(key), 0, change);
    return change.sized ? new PersistentHashMap<>(changed, size - 1) : this;
  }

  /** All entries, in no order. */
  @SuppressWarnings("unchecked")
  void forEach(BiConsumer<? super K, ? super V> action) {
    root.forEach((BiConsumer<Object, Object>) action);
  }

  /** Hash codes of strings differ in their lower bits only where the strings are short. */
  private static int spread(Object key) {
    int hash = key.hashCode() * 0x9E3779B9;
    return hash ^ (hash >>> 15);
  }

  /** Whether an entry came or went. */
  private static final class Change {
    boolean sized;
  }

  /**
   * @param entries which of the 32 branches are entries; in the last level: nothing
   * @param nodes which are nodes
   * @param slots keys and values of the entries, then the nodes
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by identity alone
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
      int at = node.inRow(key);
      return at < 0 ? null : node.slots[at + 1];
    }

    /** Where the key stands in a node of the last level, or -1. */
    private int inRow(Object key) {
      for (int i = 0; i < slots.length; i += 2) {
        if (slots[i].equals(key)) {
          return i;
        }
      }
      return -1;
    }

    Node put(Object key, Object value, int hash, int shift, Change change) {
      if (isLast(shift)) {
        int at = inRow(key);
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

    Node remove(Object key, int hash, int shift, Change change) {
      if (isLast(shift)) {
        int at = inRow(key);
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
      // One entry needs no node: else what grew and shrank would differ from what never grew.
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

    /** The slots with some at a place instead of so many. */
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
