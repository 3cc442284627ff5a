package io.watchgate.auth;

import java.time.Duration;

/**
 * Times of the watch of roles and bindings, whose changes cause re-checks; see {@link RoleWatch}.
 */
final class RoleCheckSettings {
  /** Delay after which a type of roles whose list-watch has ended is opened again. */
  static final Duration RETRY_DELAY = Duration.ofSeconds(2);

  /** The delay doubles with each attempt in vain, up to this limit. */
  static final Duration MAX_RETRY_DELAY = Duration.ofMinutes(1);

  /** Interval at which a type's upstream state is read while nothing changes. */
  static final Duration POLL_INTERVAL = Duration.ofSeconds(5);

  /** Time that roles may be unwatched before the log reports it. */
  static final Duration UNWATCHED_LOG_DELAY = Duration.ofSeconds(10);

  private RoleCheckSettings() {}
}
