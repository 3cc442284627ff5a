package io.watchgate.auth;

import java.util.List;
import java.util.Optional;

/** Asks the apiserver whose a token is. Implemented by {@code kube}; thread-safe, blocks. */
public interface TokenReviewer {
  /**
   * Asks.
   *
   * @param audiences for one of which it must have been made
   * @return empty: the apiserver says no
   */
  Optional<UserInfo> review(String token, List<String> audiences)
      throws ReviewUnavailableException, InterruptedException;
}
