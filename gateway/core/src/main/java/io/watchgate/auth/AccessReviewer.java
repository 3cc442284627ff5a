package io.watchgate.auth;

/**
 * Client of the apiserver that reviews whether a user has access. Implemented by {@code kube};
 * thread-safe, blocks.
 */
public interface AccessReviewer {
  /** Returns whether the apiserver's answer is a plain yes. */
  boolean isAllowed(UserInfo identity, AccessAttributes access)
      throws ReviewUnavailableException, InterruptedException;
}
