package io.watchgate.json;

import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * Packed pairs of offsets into an object. Objects below 64 KiB, nearly all, take two bytes an
 * offset, larger objects four. Offset 0 is the object's opening bracket and so means "absent".
 */
final class FieldOffsets {
  static final int UID = 0;
  static final int VERSION = 1;
  static final int LABELS = 2;
  static final int MANAGED_FIELDS = 3;
  static final int METADATA = 4;
  static final int FIRST_FIELD = 5;

  private final Object offsets;

  /**
   * Index of the labels of the object, if there are very many; null until first use. Weak, so that
   * it lives as long as changes of the object are matched often, and needs no room in the budget.
   */
  private volatile @Nullable WeakReference<LabelIndex> labelIndex;

  FieldOffsets(int[] offsets, int objectLength) {
    if (objectLength > Character.MAX_VALUE) {
      this.offsets = offsets.clone();
    } else {
      char[] packed = new char[offsets.length];
      for (int i = 0; i < offsets.length; i++) {
        packed[i] = (char) offsets[i];
      }
      this.offsets = packed;
    }
  }

  /** Returns the offsets after the bytes of a mark are removed. No other mark may lie within. */
  FieldOffsets without(int mark, int objectLength) {
    int from = from(mark);
    int to = to(mark);
    int count = offsets instanceof char[] packed ? packed.length : ((int[]) offsets).length;
    int[] moved = new int[count];
    for (int i = 0; i < count; i++) {
      moved[i] = get(i) < to ? get(i) : get(i) - (to - from);
    }
    moved[2 * mark] = 0;
    moved[2 * mark + 1] = 0;
    return new FieldOffsets(moved, objectLength);
  }

  /** Returns the index of the labels of the object that has these offsets. */
  LabelIndex labelIndex(KubeObject object) {
    WeakReference<LabelIndex> reference = labelIndex;
    LabelIndex index = reference == null ? null : reference.get();
    if (index == null) {
      index = new LabelIndex(object);
      labelIndex = new WeakReference<>(index);
    }
    return index;
  }

  boolean isPresent(int mark) {
    return to(mark) != 0;
  }

  int from(int mark) {
    return get(2 * mark);
  }

  int to(int mark) {
    return get(2 * mark + 1);
  }

  private int get(int index) {
    return offsets instanceof char[] packed ? packed[index] : ((int[]) offsets)[index];
  }

  int retainedBytes() {
    return 16
        + 16
        + (offsets instanceof char[] packed ? 2 * packed.length : 4 * ((int[]) offsets).length);
  }
}
