package io.watchgate.cache;

/** Exception for a state that would exceed its budget. The message names the budget. */
final class StateTooLargeException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** True if the state might fit once the cached state is released. */
  final boolean besideCached;

  StateTooLargeException(String message) {
    this(message, false);
  }

  StateTooLargeException(String message, boolean besideCached) {
    super(message, null, false, false);
    this.besideCached = besideCached;
  }
}
