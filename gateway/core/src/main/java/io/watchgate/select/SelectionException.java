package io.watchgate.select;

/** Error for a selection that cannot be served as requested. */
public final class SelectionException extends Exception {
  /** Reason for programs. */
  public enum Reason {
    /** A selector is not in the grammar. */
    SELECTOR_INVALID,
    /** A field selector names a field that is not selectable for the type. */
    FIELD_NOT_SELECTABLE,
    /** The selection exceeds one of the {@link SelectionLimits}. */
    TOO_COMPLEX,
    /** An empty string among the namespaces. */
    NAMESPACE_EMPTY,
    /** A namespace that cannot exist, or any namespace for a cluster-scoped type. */
    VALUE_INVALID
  }

  private final Reason reason;
  private final String field;
  private final int column;

  SelectionException(Reason reason, String field, int column, String message) {
    super(message);
    this.reason = reason;
    this.field = field;
    this.column = column;
  }

  public Reason reason() {
    return reason;
  }

  /**
   * Returns the field of the request: {@code selection.label_selector}, {@code
   * selection.namespaces[2]}.
   */
  public String field() {
    return field;
  }

  /**
   * Returns the column of the error in that field: a character, counted from 1; one after the last
   * character if something is missing; 0 if the error concerns the complete field.
   */
  public int column() {
    return column;
  }
}
