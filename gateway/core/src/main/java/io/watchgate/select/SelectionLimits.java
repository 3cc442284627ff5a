package io.watchgate.select;

/** Limits of the namespaces and selectors of a {@link CompiledSelection}. */
public final class SelectionLimits {
  /** Each namespace costs an access review. */
  public static final int MAX_NAMESPACES = 64;

  /** Limit of each selector, in bytes of UTF-8. */
  public static final int MAX_SELECTOR_BYTES = 4096;

  /** Limit of each selector. */
  public static final int MAX_REQUIREMENTS = 64;

  /** Limit of the values of all requirements of a selector together. */
  public static final int MAX_VALUES = 256;

  private SelectionLimits() {}
}
