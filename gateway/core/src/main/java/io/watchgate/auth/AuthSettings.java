package io.watchgate.auth;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Settings of authentication, authorization, re-checks and quotas. Values without an option are
 * constants of the part that they belong to.
 *
 * @param identification without any method, every call is accepted, as an anonymous caller
 */
public record AuthSettings(
    Identification identification, Authorization authorization, Rechecks rechecks, Quotas quotas) {

  /** Authority that decides whether a user has access. */
  public enum Authorization {
    /** The apiserver, by SubjectAccessReview. */
    KUBERNETES,
    /** No authority: every authenticated caller may read everything that is served. */
    NONE
  }

  /**
   * Methods of authentication.
   *
   * @param audiences audiences of which a token that the apiserver reviews must have one; empty:
   *     tokens are not sent to the apiserver
   * @param tokens a file of tokens
   * @param certificates empty: client certificates are ignored
   * @param missingCredentials treatment of calls without credentials
   */
  public record Identification(
      List<String> audiences,
      Optional<Path> tokens,
      Optional<Certificates> certificates,
      MissingCredentials missingCredentials) {
    public Identification {
      audiences = List.copyOf(audiences);
    }

    /** No authentication: every call is accepted. */
    public static final Identification NONE =
        new Identification(
            List.of(), Optional.empty(), Optional.empty(), MissingCredentials.REFUSED);

    /** Returns whether calls are authenticated. */
    public boolean isEnabled() {
      return !equals(NONE);
    }

    /** Returns whether a caller without a certificate can be authenticated in another way. */
    public boolean hasMethodBesidesCertificates() {
      return !audiences.isEmpty()
          || tokens.isPresent()
          || missingCredentials == MissingCredentials.ANONYMOUS;
    }
  }

  /**
   * Authentication by client certificates.
   *
   * @param user the field that names the user
   * @param ports the ports at which a client may show one
   */
  public record Certificates(CertificateUserField user, Set<Credentials.Port> ports) {
    public Certificates {
      ports = Set.copyOf(ports);
    }
  }

  /** Treatment of calls without credentials. */
  public enum MissingCredentials {
    REFUSED,
    /** Such calls are made by {@code system:anonymous}. */
    ANONYMOUS
  }

  /**
   * Re-checks of open streams; see {@link GrantRechecker}.
   *
   * @param interval interval of the re-checks, with a jitter of a tenth
   * @param grace time without an answer of the apiserver after which open streams end
   */
  public record Rechecks(Duration interval, Duration grace) {
    public static final int DEFAULT_INTERVAL_SECONDS = 300;
    public static final int DEFAULT_GRACE_SECONDS = 600;

    public static final Rechecks DEFAULTS =
        new Rechecks(
            Duration.ofSeconds(DEFAULT_INTERVAL_SECONDS),
            Duration.ofSeconds(DEFAULT_GRACE_SECONDS));

    /**
     * Delays of the re-checks after a change of roles. The apiserver decides by a cache, which lags
     * by at most the last delay.
     */
    static final List<Duration> DELAYS_AFTER_CHANGE =
        List.of(Duration.ZERO, Duration.ofSeconds(2), Duration.ofSeconds(10));

    /** Minimum interval between the re-checks of successive changes. */
    static final Duration MIN_CHANGE_INTERVAL = Duration.ofMillis(500);

    /** Interval of the re-checks while the apiserver does not answer. */
    static final Duration RETRY_INTERVAL = Duration.ofSeconds(5);

    /** Concurrent re-checks; three quarters of them at most for one user. */
    static final int MAX_WORKERS = 16;

    /** Addition to the grace period for a grant that waits in the queue or for an answer. */
    static final Duration QUEUE_ALLOWANCE = Duration.ofSeconds(30);

    /**
     * Time before the expiry of credentials at which streams must reauthenticate; at most half of
     * the credentials' remaining lifetime.
     */
    static final Duration REAUTHENTICATION_MARGIN = Duration.ofSeconds(10);
  }

  /**
   * Limits of one user; see {@link UserQuotas}.
   *
   * @param maxStreams open streams at a time
   * @param callsPerSecond rate of authenticated calls of any kind in the long run; bursts of up to
   *     {@link #BURST_SECONDS} seconds' worth are allowed
   * @param maxSelections number of different selections of open streams
   * @param maxUnreadBytes bytes in the transport that the user's clients have not read yet
   */
  public record Quotas(int maxStreams, int callsPerSecond, int maxSelections, long maxUnreadBytes) {
    public static final int DEFAULT_STREAMS = 20_000;
    public static final int DEFAULT_CALLS_PER_SECOND = 1_000;
    public static final int DEFAULT_SELECTIONS = 10_000;
    public static final int DEFAULT_UNREAD_MIB = 64;

    public static final Quotas DEFAULTS =
        new Quotas(
            DEFAULT_STREAMS,
            DEFAULT_CALLS_PER_SECOND,
            DEFAULT_SELECTIONS,
            (long) DEFAULT_UNREAD_MIB << 20);

    static final int BURST_SECONDS = 10;

    /**
     * Maximum number of calls of one user that wait for a review. Each is a thread; most wait for a
     * question in flight. As high as the default burst of calls, so that many clients of one
     * account are admitted.
     */
    static final int MAX_REVIEWS = 10_000;

    /** Number of users above which users without open streams and calls are removed. */
    static final int MAX_IDLE_USERS = 10_000;
  }

  /** Returns whether a caller without credentials may read everything. */
  public boolean isOpenToAll() {
    boolean unknown =
        !identification.isEnabled()
            || identification.missingCredentials() == MissingCredentials.ANONYMOUS;
    return unknown && authorization == Authorization.NONE;
  }

  /** Settings for trusted networks: without authentication and authorization. */
  public static final AuthSettings NONE =
      new AuthSettings(Identification.NONE, Authorization.NONE, Rechecks.DEFAULTS, Quotas.DEFAULTS);
}
