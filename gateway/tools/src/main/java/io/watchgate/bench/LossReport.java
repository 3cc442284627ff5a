package io.watchgate.bench;

/**
 * Deliveries that are missing, repeated or replaced, and streams that ended.
 *
 * @param missing changes that were never received
 * @param repeated changes that were received twice, or after a later change of the same object
 * @param unexpected events of objects that the selector does not match, removals, bodies without
 *     the annotation, responses that cannot be read
 * @param incomplete snapshots without the expected number of objects
 * @param replaced changes that a net effect or a new snapshot replaced; this is announced and thus
 *     allowed, but must not happen to a reader that keeps reading
 * @param ended streams that ended by themselves, except those of slow or hostile readers
 */
public record LossReport(
    long missing, long repeated, long unexpected, long incomplete, long replaced, long ended) {
  static final LossReport NONE = new LossReport(0, 0, 0, 0, 0, 0);

  LossReport plus(LossReport other) {
    return new LossReport(
        missing + other.missing,
        repeated + other.repeated,
        unexpected + other.unexpected,
        incomplete + other.incomplete,
        replaced + other.replaced,
        ended + other.ended);
  }

  public boolean isNone() {
    return equals(NONE);
  }
}
