package io.watchgate.labels;

import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Requirement on one label.
 *
 * @param key name of the label
 * @param values values for {@link Operator#IN} and {@link Operator#NOT_IN}, one or more, sorted and
 *     distinct; the one decimal bound of {@link Operator#GREATER} and {@link Operator#LESS},
 *     without leading zeros; none for the others
 */
public record LabelRequirement(String key, Operator operator, List<String> values) {

  /** Comparison of a label. */
  public enum Operator {
    /** The label exists, with one of the values: {@code =}, {@code ==}, {@code in}. */
    IN,
    /** The label has none of the values, or does not exist: {@code !=}, {@code notin}. */
    NOT_IN,
    /** The label exists. */
    EXISTS,
    /** The label does not exist. */
    ABSENT,
    /** The label exists, is a decimal int64, and is greater than the bound. */
    GREATER,
    /** The label exists, is a decimal int64, and is less than the bound. */
    LESS
  }

  public LabelRequirement {
    values = List.copyOf(values);
  }

  /**
   * Returns whether an object fulfils the requirement.
   *
   * @param value value of the label; null: the object has no label with this key
   */
  public boolean matches(@Nullable String value) {
    return switch (operator) {
      case IN -> value != null && Collections.binarySearch(values, value) >= 0;
      case NOT_IN -> value == null || Collections.binarySearch(values, value) < 0;
      case EXISTS -> value != null;
      case ABSENT -> value == null;
      case GREATER -> number(value) > number(values.get(0));
      case LESS -> {
        long number = number(value);
        yield number >= 0 && number < number(values.get(0));
      }
    };
  }

  /**
   * Returns the number; -1 if the text is no number or exceeds int64. No label begins with a sign.
   */
  public static long number(@Nullable String text) {
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

  /** Returns the requirement in the grammar of label selectors, in one spelling. */
  @Override
  public String toString() {
    return switch (operator) {
      case IN -> values.size() == 1 ? key + "=" + values.get(0) : key + " in " + list();
      case NOT_IN -> values.size() == 1 ? key + "!=" + values.get(0) : key + " notin " + list();
      case EXISTS -> key;
      case ABSENT -> "!" + key;
      case GREATER -> key + ">" + values.get(0);
      case LESS -> key + "<" + values.get(0);
    };
  }

  private String list() {
    return "(" + String.join(",", values) + ")";
  }
}
