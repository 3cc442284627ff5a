package io.watchgate.check;

import java.util.Map;
import java.util.Set;

/**
 * A requirement of a selector; all requirements must hold.
 *
 * @param of key of a label, or path of a field
 */
public record SelectorRequirement(String of, Operator operator, Set<String> values) {
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
    String value = having.get(of);
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
      case IN -> of + " in (" + all + ")";
      case NOT_IN -> of + " notin (" + all + ")";
      case EXISTS -> of;
      case EXISTS_NOT -> "!" + of;
    };
  }

  /**
   * Returns the requirement in Kubernetes' grammar for fields, which can only be equal to one value
   * or not.
   */
  String field() {
    return switch (operator) {
      case IN -> of + "=" + only();
      case NOT_IN -> of + "!=" + only();
      case EXISTS, EXISTS_NOT -> throw notForFields();
    };
  }

  private String only() {
    if (values.size() != 1) {
      throw notForFields();
    }
    return values.iterator().next();
  }

  private IllegalStateException notForFields() {
    return new IllegalStateException("no field selector can say " + this);
  }
}
