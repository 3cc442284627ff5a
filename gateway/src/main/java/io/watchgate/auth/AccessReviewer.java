package io.watchgate.auth;

/**
 * Asks the apiserver whether somebody may do something. Implemented by {@code kube}; thread-safe,
 * blocks.
 */
public interface AccessReviewer {
  /**
   * Asks.
   *
   * @return whether the answer is a plain yes
   */
  boolean isAllowed(UserInfo identity, AccessAttributes access)
      throws ReviewUnavailableException, InterruptedException;
}
