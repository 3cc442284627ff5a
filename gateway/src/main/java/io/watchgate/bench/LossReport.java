package io.watchgate.bench;

/**
 * What readers did not get as it was promised.
 *
 * @param missing changes that never came
 * @param repeated changes that came twice, or after a later one of the same object
 * @param unexpected events of objects that the selector does not match, removals, bodies without
 *     the annotation, responses that cannot be read
 * @param incomplete snapshots that did not hold what they had to
 * @param replaced changes in place of which came a net effect or a new snapshot; announced, and so
 *     allowed, but not to a reader that keeps reading
 * @param ended streams that ended before the run did
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
