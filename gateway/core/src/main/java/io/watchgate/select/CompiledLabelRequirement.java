package io.watchgate.select;

import io.watchgate.json.ByteKeyLookup;
import io.watchgate.json.KubeObject;
import io.watchgate.labels.LabelRequirement;
import io.watchgate.labels.LabelRequirement.Operator;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** {@link LabelRequirement} that is compiled for comparison with the bytes of objects. */
final class CompiledLabelRequirement implements ByteKeyLookup<byte[]> {
  private final Operator operator;
  private final String name;
  private final byte[] key;

  /** Values in the order of their bytes. */
  private final byte[][] values;

  private final long bound;

  CompiledLabelRequirement(LabelRequirement requirement) {
    this.operator = requirement.operator();
    this.name = requirement.key();
    this.key = name.getBytes(StandardCharsets.UTF_8);
    this.values =
        requirement.values().stream()
            .map(value -> value.getBytes(StandardCharsets.UTF_8))
            .toArray(byte[][]::new);
    this.bound =
        switch (operator) {
          case GREATER, LESS -> LabelRequirement.number(requirement.values().get(0));
          case IN, NOT_IN, EXISTS, ABSENT -> 0;
        };
  }

  boolean matches(KubeObject view) {
    return switch (operator) {
      case IN -> hasOne(view);
      case NOT_IN -> !hasOne(view);
      case EXISTS -> view.labelOffset(key) >= 0;
      case ABSENT -> view.labelOffset(key) < 0;
      case GREATER -> LabelRequirement.number(view.label(name)) > bound;
      case LESS -> {
        long value = LabelRequirement.number(view.label(name));
        yield value >= 0 && value < bound;
      }
    };
  }

  private boolean hasOne(KubeObject view) {
    int at = view.labelOffset(key);
    if (at < 0) {
      return false;
    }
    return values.length == 1 ? view.labelIs(at, values[0]) : view.findByLabel(at, this) != null;
  }

  /**
   * Returns the equal value, if any. There may be hundreds of values, so a binary search is faster
   * than comparing each.
   */
  @Override
  public byte @Nullable [] find(byte[] bytes, int from, int to) {
    int low = 0;
    int high = values.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      byte[] value = values[middle];
      int order = Arrays.compareUnsigned(value, 0, value.length, bytes, from, to);
      if (order == 0) {
        return value;
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return null;
  }
}
