package io.watchgate.select;

/**
 * Requirement on one field. A field that the object does not have reads as its type's default,
 * mostly as the empty text.
 *
 * @param field one of {@link SelectableFields#names}, never an alias
 * @param value value to compare with, without escapes
 */
public record FieldRequirement(String field, Operator operator, String value) {

  /** Comparison of a field. */
  public enum Operator {
    /** {@code =} and {@code ==}. */
    EQUAL,
    /** {@code !=}. */
    NOT_EQUAL
  }

  /** Returns the requirement in the grammar of field selectors, in one spelling. */
  @Override
  public String toString() {
    String escaped = value.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=");
    return switch (operator) {
      case EQUAL -> field + "=" + escaped;
      case NOT_EQUAL -> field + "!=" + escaped;
    };
  }
}
