package io.watchgate.select;

import java.util.List;

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
