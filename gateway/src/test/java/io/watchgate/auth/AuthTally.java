package io.watchgate.auth;

import java.util.EnumMap;
import java.util.Map;

/** Counters in memory. Thread-safe. */
public final class AuthTally implements AuthMetrics {
  private final Map<Answer, Integer> tokens = new EnumMap<>(Answer.class);
  private final Map<Answer, Integer> access = new EnumMap<>(Answer.class);
  private final Map<Answer, Integer> rechecks = new EnumMap<>(Answer.class);

  @Override
  public synchronized void tokenReviewed(Answer answer) {
    tokens.merge(answer, 1, Integer::sum);
  }

  @Override
  public synchronized void accessReviewed(Answer answer) {
    access.merge(answer, 1, Integer::sum);
  }

  @Override
  public synchronized void rechecked(Answer answer) {
    rechecks.merge(answer, 1, Integer::sum);
  }

  synchronized int tokenReviews(Answer answer) {
    return tokens.getOrDefault(answer, 0);
  }

  synchronized int accessReviews(Answer answer) {
    return access.getOrDefault(answer, 0);
  }

  /** Returns the number of re-checks of open streams, counted after the streams were notified. */
  public synchronized int rechecks(Answer answer) {
    return rechecks.getOrDefault(answer, 0);
  }
}
