package io.watchgate.auth;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Record of the role types that the gateway cannot watch now, with the reasons. Logs one warning
 * with the consequence once this has lasted for a while, and one message when it is over.
 * Thread-safe.
 */
final class UnwatchedRoles {
  private static final Logger log = LoggerFactory.getLogger(UnwatchedRoles.class);

  private final Duration recheck;
  private final Duration logDelay;

  /** Unwatched types, each with the time since when, in {@code nanoTime}. */
  private final Map<String, Long> unwatchedSince = new TreeMap<>();

  private @Nullable String warning;

  /**
   * Creates a record in which all types are watched.
   *
   * @param recheck interval of the regular re-checks of open streams
   * @param logDelay time that a type may be unwatched before the log reports it; shorter gaps occur
   *     whenever a watch is opened again
   */
  UnwatchedRoles(Duration recheck, Duration logDelay) {
    this.recheck = recheck;
    this.logDelay = logDelay;
  }

  /** Returns the number of types that are not watched. */
  synchronized int unwatchedTypes() {
    return unwatchedSince.size();
  }

  /** Returns the last warning in the log that is still true. */
  synchronized Optional<String> warning() {
    return Optional.ofNullable(warning);
  }

  synchronized void markWatched(String type) {
    unwatchedSince.remove(type);
    if (unwatchedSince.isEmpty() && warning != null) {
      warning = null;
      log.info("roles and bindings are watched again; streams end at once when a right is revoked");
    }
  }

  /**
   * Records that a type is not watched.
   *
   * @param now in {@code nanoTime}
   */
  synchronized void markUnwatched(String type, String reason, long now) {
    long since = unwatchedSince.computeIfAbsent(type, none -> now);
    if (warning == null && now - since >= logDelay.toNanos()) {
      warning =
          "%s of rbac.authorization.k8s.io cannot be watched: %s. Until they can, a right that is taken"
                  .formatted(String.join(", ", unwatchedSince.keySet()), reason)
              + " away ends streams only at their next re-check, up to "
              + recheck.toSeconds()
              + " s later (--recheck-every). Grant the gateway list and watch on them, as"
              + " `watchgate manifests` does, or fix the connection.";
      log.warn("{}", warning);
    }
  }
}
