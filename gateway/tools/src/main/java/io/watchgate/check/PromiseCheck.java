package io.watchgate.check;

/** Check of one promise. Stateless. */
interface PromiseCheck {
  /** Returns the promise that is checked. */
  Promise promise();

  /** Checks a session, and adds the expectations and violations to {@code findings}. */
  void judge(AnalyzedSession examined, Findings findings);
}
