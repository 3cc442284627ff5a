package io.watchgate.check;

import java.util.Map;
import java.util.Set;

/**
 * A requirement of a selector; all requirements must hold.
 *
 * @param key key of a label, or path of a field
 */
public record SelectorRequirement(String key, Operator operator, Set<String> values) {
  /** Operators in the order of Kubernetes' documentation of labels. */
  public enum Operator {
    IN,
    NOT_IN,
    EXISTS,
    EXISTS_NOT
  }

  public SelectorRequirement {
    values = Set.copyOf(values);
  }

  /**
   * Returns whether the requirement holds. An absent field is empty; an absent label is in no set.
   */
  boolean holds(Map<String, String> having, Absent absent) {
    String value = having.get(key);
    if (value == null && absent == Absent.IS_EMPTY) {
      value = "";
    }
    return switch (operator) {
      case IN -> value != null && values.contains(value);
      case NOT_IN -> value == null || !values.contains(value);
      case EXISTS -> value != null;
      case EXISTS_NOT -> value == null;
    };
  }

  /** Meaning of an absent value. */
  enum Absent {
    IS_EMPTY,
    IS_ABSENT
  }

  /** Returns the requirement in Kubernetes' grammar for labels. */
  String label() {
    String all = String.join(",", values.stream().sorted().toList());
    return switch (operator) {
      case IN -> key + " in (" + all + ")";
      case NOT_IN -> key + " notin (" + all + ")";
      case EXISTS -> key;
      case EXISTS_NOT -> "!" + key;
    };
  }

  /**
   * Returns the requirement in Kubernetes' grammar for fields, which can only be equal to one value
   * or not.
   */
  String field() {
    return switch (operator) {
      case IN -> key + "=" + singleValue();
      case NOT_IN -> key + "!=" + singleValue();
      case EXISTS, EXISTS_NOT -> throw fieldSelectorError();
    };
  }

  private String singleValue() {
    if (values.size() != 1) {
      throw fieldSelectorError();
    }
    return values.iterator().next();
  }

  private IllegalStateException fieldSelectorError() {
    return new IllegalStateException("no field selector can say " + this);
  }
}
