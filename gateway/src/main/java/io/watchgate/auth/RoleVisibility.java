package io.watchgate.auth;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Record of the role types that the gateway cannot watch now, and why. Says once in the log what
 * that means, when it has lasted for a while, and once that it is over. Thread-safe.
 */
final class RoleVisibility {
  private static final Logger log = LoggerFactory.getLogger(RoleVisibility.class);

  private final Duration recheck;
  private final Duration patience;

  /** Types that are not watched, each with the moment since when, of {@code nanoTime}. */
  private final Map<String, Long> unseen = new TreeMap<>();

  private @Nullable String warning;

  /**
   * @param recheck how often open streams are re-checked otherwise
   * @param patience how long a type may be out of sight before the log says so: a watch that is
   *     opened again is no news
   */
  RoleVisibility(Duration recheck, Duration patience) {
    this.recheck = recheck;
    this.patience = patience;
  }

  /** Number of types that are not watched. */
  synchronized int unseen() {
    return unseen.size();
  }

  /** The warning in the log that still holds. */
  synchronized Optional<String> warning() {
    return Optional.ofNullable(warning);
  }

  synchronized void isSeen(String type) {
    unseen.remove(type);
    if (unseen.isEmpty() && warning != null) {
      warning = null;
      log.info(
          "roles and bindings are watched again: a right that is taken away ends streams at once");
    }
  }

  /**
   * @param now of {@code nanoTime}
   */
  synchronized void isUnseen(String type, String reason, long now) {
    long since = unseen.computeIfAbsent(type, none -> now);
    if (warning == null && now - since >= patience.toNanos()) {
      warning =
          "%s of rbac.authorization.k8s.io cannot be watched: %s. Until they can, a right that is taken"
                  .formatted(String.join(", ", unseen.keySet()), reason)
              + " away ends streams only at their next re-check, up to "
              + recheck.toSeconds()
              + " s later (--recheck-every). Grant the gateway list and watch on them, as"
              + " `watchgate manifests` does, and see why the apiserver does not answer.";
      log.warn("{}", warning);
    }
  }
}
