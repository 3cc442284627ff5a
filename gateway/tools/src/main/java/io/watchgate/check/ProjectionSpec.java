package io.watchgate.check;

import java.util.List;

/**
 * Projection of the objects.
 *
 * @param pointers fields to send besides the identifying fields; only with {@link View#PARTS}
 */
public record ProjectionSpec(View view, List<String> pointers) {
  /** View of an object. */
  public enum View {
    FULL,
    NO_MANAGED_FIELDS,
    METADATA,
    KEY,
    PARTS
  }

  /** The complete object. */
  public static final ProjectionSpec FULL = new ProjectionSpec(View.FULL, List.of());

  /** The identity of an object without a body. */
  public static final ProjectionSpec KEY = new ProjectionSpec(View.KEY, List.of());

  public ProjectionSpec {
    pointers = List.copyOf(pointers);
  }

  @Override
  public String toString() {
    return view == View.PARTS ? pointers.toString() : view.toString();
  }
}
