package io.watchgate.check;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Results of one check for one session. */
final class Findings {
  private static final int MAX_VIOLATIONS = 10;

  private final Promise promise;
  private final Session session;
  private final List<Violation> violations = new ArrayList<>();
  private long judged;
  private long broken;

  Findings(Promise promise, Session session) {
    this.promise = promise;
    this.session = session;
  }

  /** Counts an expectation, and keeps a violation if it is broken. */
  void expect(boolean holds, int messageIndex, Supplier<String> otherwise) {
    expect(holds, messageIndex, otherwise, List::of);
  }

  void expect(
      boolean holds,
      int messageIndex,
      Supplier<String> otherwise,
      Supplier<List<String>> upstream) {
    judged++;
    if (!holds) {
      broken++;
      if (violations.size() < MAX_VIOLATIONS) {
        violations.add(
            new Violation(promise, session, otherwise.get(), messageIndex, upstream.get()));
      }
    }
  }

  Promise promise() {
    return promise;
  }

  long judged() {
    return judged;
  }

  long broken() {
    return broken;
  }

  /** Returns the first violations. */
  List<Violation> violations() {
    return violations;
  }
}
