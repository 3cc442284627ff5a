package io.watchgate.informer;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Requirement of a label selector on one label. */
sealed interface LabelRequirement {
  /** Returns the key of the label. */
  String key();

  /**
   * Returns whether an object fulfils the requirement.
   *
   * @param value value of the label; null: the object has no label with this key
   */
  boolean isFulfilledBy(@Nullable String value);

  /** {@code key=value}, {@code key in (values)}. */
  record In(String key, Set<String> values) implements LabelRequirement {
    @Override
    public boolean isFulfilledBy(@Nullable String value) {
      return value != null && values.contains(value);
    }
  }

  /** {@code key!=value}, {@code key notin (values)}. */
  record NotIn(String key, Set<String> values) implements LabelRequirement {
    @Override
    public boolean isFulfilledBy(@Nullable String value) {
      return value == null || !values.contains(value);
    }
  }

  /** {@code key}. */
  record Present(String key) implements LabelRequirement {
    @Override
    public boolean isFulfilledBy(@Nullable String value) {
      return value != null;
    }
  }

  /** {@code !key}. */
  record Absent(String key) implements LabelRequirement {
    @Override
    public boolean isFulfilledBy(@Nullable String value) {
      return value == null;
    }
  }

  /** {@code key>bound}; false for a value that is no number. */
  record Above(String key, long bound) implements LabelRequirement {
    @Override
    public boolean isFulfilledBy(@Nullable String value) {
      return value != null && number(value) > bound;
    }
  }

  /** {@code key<bound}; false for a value that is no number. */
  record Below(String key, long bound) implements LabelRequirement {
    @Override
    public boolean isFulfilledBy(@Nullable String value) {
      long number = value == null ? NO_NUMBER : number(value);
      return number != NO_NUMBER && number < bound;
    }
  }

  long NO_NUMBER = -1;

  /**
   * Returns the digits as an int64, without a sign, because no label value begins with one; else
   * {@link #NO_NUMBER}.
   */
  static long number(String text) {
    long number = 0;
    for (int i = 0; i < text.length(); i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9 || number > (Long.MAX_VALUE - digit) / 10) {
        return NO_NUMBER;
      }
      number = 10 * number + digit;
    }
    return text.isEmpty() ? NO_NUMBER : number;
  }
}
