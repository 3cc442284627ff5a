package io.watchgate.check;

/** Judges one promise. Stateless. */
interface PromiseCheck {
  /** Which. */
  Promise promise();

  /** Tells {@code findings} what it looked at, and what of it was broken. */
  void judge(AnalyzedSession examined, Findings findings);
}
