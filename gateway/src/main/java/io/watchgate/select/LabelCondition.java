package io.watchgate.select;

import io.watchgate.json.ObjectView;
import io.watchgate.select.LabelRequirement.Operator;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A {@link LabelRequirement} made ready for comparing with the bytes of objects. */
final class LabelCondition {
  private final Operator operator;
  private final String name;
  private final byte[] key;
  private final byte[][] values;
  private final long bound;

  LabelCondition(LabelRequirement requirement) {
    this.operator = requirement.operator();
    this.name = requirement.key();
    this.key = name.getBytes(StandardCharsets.UTF_8);
    this.values =
        requirement.values().stream()
            .map(value -> value.getBytes(StandardCharsets.UTF_8))
            .toArray(byte[][]::new);
    this.bound =
        switch (operator) {
          case GREATER, LESS -> int64(requirement.values().get(0));
          case IN, NOT_IN, EXISTS, ABSENT -> 0;
        };
  }

  boolean matches(ObjectView view) {
    return switch (operator) {
      case IN -> hasOne(view, view.labelAt(key));
      case NOT_IN -> !hasOne(view, view.labelAt(key));
      case EXISTS -> view.labelAt(key) >= 0;
      case ABSENT -> view.labelAt(key) < 0;
      case GREATER -> int64(view.label(name)) > bound;
      case LESS -> {
        long value = int64(view.label(name));
        yield value >= 0 && value < bound;
      }
    };
  }

  private boolean hasOne(ObjectView view, int at) {
    if (at >= 0) {
      for (byte[] value : values) {
        if (view.labelIs(at, value)) {
          return true;
        }
      }
    }
    return false;
  }

  /** The number, -1 if it is none or beyond int64. No label begins with a sign. */
  static long int64(@Nullable String text) {
    if (text == null || text.isEmpty()) {
      return -1;
    }
    long number = 0;
    for (int i = 0; i < text.length(); i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9 || number > (Long.MAX_VALUE - digit) / 10) {
        return -1;
      }
      number = 10 * number + digit;
    }
    return number;
  }
}
