package io.watchgate.auth;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Settings of authentication, authorisation, re-checks and quotas.
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
   * @param certificates the field of a client's certificate that names the user; empty:
   *     certificates are ignored
   * @param unknown treatment of calls without credentials
   */
  public record Identification(
      List<String> audiences,
      Optional<Path> tokens,
      Optional<CertificateUserField> certificates,
      Unknown unknown) {
    public Identification {
      audiences = List.copyOf(audiences);
    }

    /** No authentication: every call is accepted. */
    public static final Identification NONE =
        new Identification(List.of(), Optional.empty(), Optional.empty(), Unknown.REFUSED);

    /** Returns whether calls are authenticated. */
    public boolean isEnabled() {
      return !equals(NONE);
    }

    /** Returns whether a caller without a certificate can be authenticated in another way. */
    public boolean hasMethodBesidesCertificates() {
      return !audiences.isEmpty() || tokens.isPresent() || unknown == Unknown.ANONYMOUS;
    }
  }

  /** Treatment of calls without credentials. */
  public enum Unknown {
    REFUSED,
    /** Such calls are made by {@code system:anonymous}. */
    ANONYMOUS
  }

  /**
   * Re-checks of open streams.
   *
   * @param interval interval of the re-checks, with a jitter of a tenth
   * @param grace time without an answer of the apiserver after which open streams end
   */
  public record Rechecks(Duration interval, Duration grace) {
    public static final Rechecks DEFAULTS =
        new Rechecks(Duration.ofMinutes(5), Duration.ofMinutes(10));
  }

  /**
   * Limits of one user.
   *
   * @param maxStreams open streams at a time
   * @param opensPerSecond rate of opened streams in the long run; bursts of up to ten seconds'
   *     worth are allowed
   * @param maxSelections number of different selections of open streams
   * @param maxUnreadBytes bytes in the transport that the user's clients have not read yet
   */
  public record Quotas(int maxStreams, int opensPerSecond, int maxSelections, long maxUnreadBytes) {
    public static final Quotas DEFAULTS = new Quotas(20_000, 1_000, 10_000, 64L << 20);
  }

  /** Returns whether a caller without credentials may read everything. */
  public boolean isOpenToAll() {
    boolean unknown = !identification.isEnabled() || identification.unknown() == Unknown.ANONYMOUS;
    return unknown && authorization == Authorization.NONE;
  }

  /** Settings for trusted networks: without authentication and authorisation. */
  public static final AuthSettings NONE =
      new AuthSettings(Identification.NONE, Authorization.NONE, Rechecks.DEFAULTS, Quotas.DEFAULTS);
}
