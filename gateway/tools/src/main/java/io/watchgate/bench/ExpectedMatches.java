package io.watchgate.bench;

/**
 * Objects that a reader's selector matches: every {@code step}-th object from {@code first} on,
 * numbered from 0.
 *
 * @param objects number of all objects
 * @param first number of the first matching object; {@code objects} if none matches
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

  /** Returns the index of an object among the matching objects. */
  int index(int object) {
    return (object - first) / step;
  }

  int object(int index) {
    return first + index * step;
  }
}
