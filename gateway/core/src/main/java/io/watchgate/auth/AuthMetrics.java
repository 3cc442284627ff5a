package io.watchgate.auth;

/** Counters of reviews and denials. Implemented by {@code ops}; thread-safe. */
public interface AuthMetrics {
  /** Metrics that count nothing. */
  AuthMetrics NONE =
      new AuthMetrics() {
        @Override
        public void tokenReviewed(Answer answer) {}

        @Override
        public void accessReviewed(Answer answer) {}

        @Override
        public void rechecked(Answer answer, String user) {}
      };

  /** Answer of the apiserver to a review. */
  enum Answer {
    YES,
    NO,
    /** The apiserver could not be asked. */
    NONE
  }

  /** Counts a TokenReview. */
  void tokenReviewed(Answer answer);

  /** Counts a SubjectAccessReview. */
  void accessReviewed(Answer answer);

  /** Counts a re-check of a grant of open streams of a user. */
  void rechecked(Answer answer, String user);
}
