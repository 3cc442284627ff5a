package io.watchgate.feed;

/** A request is refused. */
public final class RefusedException extends Exception {
  private static final long serialVersionUID = 1;
  private final transient Refusal refusal;

  public RefusedException(Refusal refusal) {
    super(refusal.message(), null, false, false);
    this.refusal = refusal;
  }

  public Refusal refusal() {
    return refusal;
  }
}
