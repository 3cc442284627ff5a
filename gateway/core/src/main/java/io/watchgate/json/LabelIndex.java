package io.watchgate.json;

import java.util.Arrays;

/**
 * Hash table of the labels of one object, by name, for objects with so many that a scan for each
 * requirement of each selector would be slow: an object can have 70,000. Immutable. Of equal names,
 * which no apiserver sends, the first one is found, as by a scan.
 */
final class LabelIndex {
  private final byte[] bytes;

  /** Offsets of names, by open addressing; 0 is a free slot. At most half of them are in use. */
  private final int[] slots;

  LabelIndex(KubeObject object) {
    this.bytes = object.bytes();
    int count = 1;
    for (int label = object.firstLabel(); label >= 0; label = object.nextLabel(label)) {
      count++;
    }
    this.slots = new int[Integer.highestOneBit(count) << 2];
    for (int label = object.firstLabel(); label >= 0; label = object.nextLabel(label)) {
      add(label, JsonString.end(bytes, label));
    }
  }

  private void add(int label, int end) {
    byte[] name = bytes;
    int from = label;
    int to = end;
    if (JsonString.escaped(bytes, label, end)) {
      name = JsonString.decoded(bytes, label, end);
      from = 0;
      to = name.length;
    }
    int slot = slot(name, from, to);
    if (slots[slot] == 0) {
      slots[slot] = label;
    }
  }

  /**
   * Returns the offset of the label's name in the object, 0 without the label.
   *
   * @param name in UTF-8
   */
  int find(byte[] name) {
    return slots[slot(name, 0, name.length)];
  }

  /** Returns the slot of the name, or the free slot where it would be inserted. */
  private int slot(byte[] name, int from, int to) {
    int slot = ByteHash.of(name, from, to) & slots.length - 1;
    while (slots[slot] != 0 && !isAt(slots[slot], name, from, to)) {
      slot = slot + 1 & slots.length - 1;
    }
    return slot;
  }

  private boolean isAt(int label, byte[] name, int from, int to) {
    int end = JsonString.end(bytes, label);
    return JsonString.escaped(bytes, label, end)
        ? Arrays.equals(JsonString.decoded(bytes, label, end), Arrays.copyOfRange(name, from, to))
        : Arrays.equals(bytes, label, end, name, from, to);
  }
}
