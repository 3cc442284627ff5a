package io.watchgate.check;

import java.util.List;

/**
 * How objects are sent.
 *
 * @param pointers only these parts, besides what says which object it is; only with {@link
 *     View#PARTS}
 */
public record Shape(View view, List<String> pointers) {
  /** What of an object is sent. */
  public enum View {
    FULL,
    NO_MANAGED_FIELDS,
    METADATA,
    KEY,
    PARTS
  }

  /** Everything. */
  public static final Shape FULL = new Shape(View.FULL, List.of());

  /** Nothing but which object it is. */
  public static final Shape KEY = new Shape(View.KEY, List.of());

  public Shape {
    pointers = List.copyOf(pointers);
  }

  @Override
  public String toString() {
    return view == View.PARTS ? pointers.toString() : view.toString();
  }
}
