package io.watchgate.auth;

/** What is counted of questions and refusals. Implemented by {@code ops}; thread-safe. */
public interface AuthMetrics {
  /** Counts nothing. */
  AuthMetrics NONE =
      new AuthMetrics() {
        @Override
        public void tokenReviewed(Answer answer) {}

        @Override
        public void accessReviewed(Answer answer) {}

        @Override
        public void rechecked(Answer answer) {}
      };

  /** What the apiserver said. */
  enum Answer {
    YES,
    NO,
    /** It could not be asked. */
    NONE
  }

  /** The apiserver was asked whose a token is. */
  void tokenReviewed(Answer answer);

  /** It was asked whether somebody may do something. */
  void accessReviewed(Answer answer);

  /** A grant of open streams was looked at again. */
  void rechecked(Answer answer);
}
