package io.watchgate.select;

/** A selection that cannot be served as asked. */
public final class SelectionException extends Exception {
  private static final long serialVersionUID = 1;

  /** What is wrong, for a program. */
  public enum Reason {
    /** A selector is not in the grammar. */
    SELECTOR_INVALID,
    /** A field selector names a field that the type cannot be selected by. */
    FIELD_NOT_SELECTABLE,
    /** More than {@link CompiledSelection} allows. */
    TOO_COMPLEX,
    /** An empty string among the namespaces. */
    NAMESPACE_EMPTY,
    /** A namespace that cannot exist, or any for a cluster-scoped type. */
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
   * The field of the request: {@code selection.label_selector}, {@code selection.namespaces[2]}.
   */
  public String field() {
    return field;
  }

  /**
   * At which character of that field, counted from 1, it went wrong; one beyond the last where
   * something is missing; 0 where the whole field is meant.
   */
  public int column() {
    return column;
  }
}
