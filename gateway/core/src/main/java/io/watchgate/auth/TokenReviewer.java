package io.watchgate.auth;

import java.util.List;
import java.util.Optional;

/**
 * Client of the apiserver that reviews tokens. Implemented by {@code kube}; thread-safe, blocks.
 */
public interface TokenReviewer {
  /**
   * Returns the user of a token.
   *
   * @param audiences audiences of which the token must have one; empty: the apiserver's own
   * @return empty: the apiserver rejects the token
   */
  Optional<UserInfo> review(String token, List<String> audiences)
      throws ReviewUnavailableException, InterruptedException;
}
