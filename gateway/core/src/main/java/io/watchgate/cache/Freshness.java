package io.watchgate.cache;

/**
 * Answer to the question whether a cached state equals the apiserver's state at some moment after
 * the question.
 */
public sealed interface Freshness {
  /**
   * At some moment after the question the apiserver was at {@code version}, and so is the cache.
   */
  record Proven(ResourceVersion version) implements Freshness {}

  /** Nothing was proven; {@code reason} is for a person. */
  record Unproven(String reason) implements Freshness {
    public static final Unproven NO_ANSWER = new Unproven("the apiserver did not answer in time");

    /** For a state that changed before it was read, after each of several proofs. */
    public static final Unproven CHANGES_TOO_FAST =
        new Unproven("the state changed again after each proof");
  }
}
