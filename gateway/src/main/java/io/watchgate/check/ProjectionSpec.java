package io.watchgate.check;

import java.util.List;

/**
 * How objects are sent.
 *
 * @param pointers only these parts, besides what says which object it is; only with {@link
 *     View#PARTS}
 */
public record ProjectionSpec(View view, List<String> pointers) {
  /** What of an object is sent. */
  public enum View {
    FULL,
    NO_MANAGED_FIELDS,
    METADATA,
    KEY,
    PARTS
  }

  /** Everything. */
  public static final ProjectionSpec FULL = new ProjectionSpec(View.FULL, List.of());

  /** Nothing but which object it is. */
  public static final ProjectionSpec KEY = new ProjectionSpec(View.KEY, List.of());

  public ProjectionSpec {
    pointers = List.copyOf(pointers);
  }

  @Override
  public String toString() {
    return view == View.PARTS ? pointers.toString() : view.toString();
  }
}
