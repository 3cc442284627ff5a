package io.watchgate.bench;

/**
 * Which of the objects, numbered from 0, a reader's selector matches: every {@code step}-th from
 * {@code first} on.
 *
 * @param objects how many objects there are
 * @param first the first that matches; {@code objects} if none does
 */
record ExpectedMatches(int objects, int first, int step) {

  static ExpectedMatches all(int objects) {
    return new ExpectedMatches(objects, 0, 1);
  }

  static ExpectedMatches none(int objects) {
    return new ExpectedMatches(objects, objects, 1);
  }

  boolean matches(int object) {
    return object >= first && (object - first) % step == 0;
  }

  int count() {
    return first >= objects ? 0 : (objects - first - 1) / step + 1;
  }

  /** The how many-th of those that match. */
  int index(int object) {
    return (object - first) / step;
  }

  int object(int index) {
    return first + index * step;
  }
}
