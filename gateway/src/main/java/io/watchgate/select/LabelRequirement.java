package io.watchgate.select;

import java.util.List;

/**
 * One condition on a label.
 *
 * @param key the name of the label
 * @param values what {@link Operator#IN} and {@link Operator#NOT_IN} compare with, one or more,
 *     sorted and distinct; the one decimal bound of {@link Operator#GREATER} and {@link
 *     Operator#LESS}, without leading zeros; none for the others
 */
public record LabelRequirement(String key, Operator operator, List<String> values) {

  /** How a label is compared. */
  public enum Operator {
    /** The label is there, with one of the values: {@code =}, {@code ==}, {@code in}. */
    IN,
    /** The label has none of the values, or is not there: {@code !=}, {@code notin}. */
    NOT_IN,
    /** The label is there. */
    EXISTS,
    /** The label is not there. */
    ABSENT,
    /** The label is there, is a decimal int64, and is greater than the bound. */
    GREATER,
    /** The label is there, is a decimal int64, and is less than the bound. */
    LESS
  }

  public LabelRequirement {
    values = List.copyOf(values);
  }

  /** In the grammar of label selectors, always spelled alike. */
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
