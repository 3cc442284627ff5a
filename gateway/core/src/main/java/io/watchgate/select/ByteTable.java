package io.watchgate.select;

import io.watchgate.json.ByteHash;
import io.watchgate.json.ByteKeyLookup;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hash table with keys in UTF-8; a lookup by a range of a byte array allocates nothing. Open
 * addressing, at most half full; shrinks when entries are removed. Not thread-safe.
 */
final class ByteTable<V> implements ByteKeyLookup<V> {
  private static final int SMALLEST = 4;

  private byte[] @Nullable [] keys;
  private @Nullable Object[] values;
  private int[] hashes;
  private int size;

  ByteTable() {
    keys = new byte[SMALLEST][];
    values = new Object[SMALLEST];
    hashes = new int[SMALLEST];
  }

  int size() {
    return size;
  }

  /** Returns the number of key slots, which determines the memory of the table. */
  int capacity() {
    return keys.length;
  }

  @Override
  public @Nullable V find(byte[] bytes, int from, int to) {
    return value(slot(bytes, from, to, ByteHash.of(bytes, from, to)));
  }

  @Nullable V get(byte[] key) {
    return find(key, 0, key.length);
  }

  @SuppressWarnings("unchecked") // only put writes values
  private @Nullable V value(int slot) {
    return (V) values[slot];
  }

  void forEach(Consumer<V> each) {
    for (int slot = 0; slot < keys.length; slot++) {
      V value = value(slot);
      if (value != null) {
        each.accept(value);
      }
    }
  }

  /** Returns the slot of the key, or the free slot where it would be inserted. */
  private int slot(byte[] bytes, int from, int to, int hash) {
    int mask = keys.length - 1;
    int slot = hash & mask;
    while (true) {
      byte[] key = keys[slot];
      if (key == null
          || (hashes[slot] == hash && Arrays.equals(key, 0, key.length, bytes, from, to))) {
        return slot;
      }
      slot = (slot + 1) & mask;
    }
  }

  /**
   * @param key key that is not in the table; must not be changed afterwards
   */
  void put(byte[] key, V value) {
    if (2 * (size + 1) > keys.length) {
      resize(2 * keys.length);
    }
    set(key, value, ByteHash.of(key, 0, key.length));
    size++;
  }

  private void set(byte[] key, @Nullable Object value, int hash) {
    int slot = slot(key, 0, key.length, hash);
    keys[slot] = key;
    values[slot] = value;
    hashes[slot] = hash;
  }

  /** Removes a key that is in the table. */
  void remove(byte[] key) {
    int mask = keys.length - 1;
    int hole = slot(key, 0, key.length, ByteHash.of(key, 0, key.length));
    // Entries of the same run that would not be found behind the hole move into it.
    for (int next = (hole + 1) & mask; keys[next] != null; next = (next + 1) & mask) {
      int fromHome = (next - hashes[next]) & mask;
      int fromHole = (next - hole) & mask;
      if (fromHome >= fromHole) {
        keys[hole] = keys[next];
        values[hole] = values[next];
        hashes[hole] = hashes[next];
        hole = next;
      }
    }
    keys[hole] = null;
    values[hole] = null;
    size--;
    if (keys.length > SMALLEST && 8 * size <= keys.length) {
      resize(keys.length / 2);
    }
  }

  private void resize(int capacity) {
    byte[] @Nullable [] oldKeys = keys;
    @Nullable Object[] oldValues = values;
    int[] oldHashes = hashes;
    keys = new byte[capacity][];
    values = new Object[capacity];
    hashes = new int[capacity];
    for (int i = 0; i < oldKeys.length; i++) {
      byte[] key = oldKeys[i];
      if (key != null) {
        set(key, oldValues[i], oldHashes[i]);
      }
    }
  }
}
