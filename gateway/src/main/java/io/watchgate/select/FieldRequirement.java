package io.watchgate.select;

/**
 * One condition on a field. A field that the object does not have reads as its type's default,
 * mostly as the empty text.
 *
 * @param field one of {@link SelectableFields#names}, never an alias
 * @param value as it is to be compared, without escapes
 */
public record FieldRequirement(String field, Operator operator, String value) {

  /** How a field is compared. */
  public enum Operator {
    /** {@code =} and {@code ==}. */
    EQUAL,
    /** {@code !=}. */
    NOT_EQUAL
  }

  /** In the grammar of field selectors, always spelled alike. */
  @Override
  public String toString() {
    String escaped = value.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=");
    return switch (operator) {
      case EQUAL -> field + "=" + escaped;
      case NOT_EQUAL -> field + "!=" + escaped;
    };
  }
}
