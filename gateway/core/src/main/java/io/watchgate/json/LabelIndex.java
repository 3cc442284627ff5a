package io.watchgate.json;

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
      int slot = slot(JsonString.decoded(bytes, label, JsonString.end(bytes, label)));
      if (slots[slot] == 0) {
        slots[slot] = label;
      }
    }
  }

  /**
   * Returns the offset of the label's name in the object, 0 without the label.
   *
   * @param name in UTF-8
   */
  int find(byte[] name) {
    return slots[slot(name)];
  }

  /** Returns the slot of the name, or the free slot where it would be inserted. */
  private int slot(byte[] name) {
    int slot = ByteHash.of(name, 0, name.length) & slots.length - 1;
    while (slots[slot] != 0 && !isAt(slots[slot], name)) {
      slot = slot + 1 & slots.length - 1;
    }
    return slot;
  }

  private boolean isAt(int label, byte[] name) {
    return JsonString.is(bytes, label, JsonString.end(bytes, label), name);
  }
}
