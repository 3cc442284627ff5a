package io.watchgate.auth;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Who is let in, and how it is known what he may read.
 *
 * @param identification none of it: everybody is let in, and is anybody
 */
public record AuthSettings(
    Identification identification, Authorization authorization, Rechecks rechecks, Quotas quotas) {

  /** What is asked whether somebody may read something. */
  public enum Authorization {
    /** The apiserver, by SubjectAccessReview. */
    KUBERNETES,
    /** Nobody: whoever is let in may read everything that is served. */
    NONE
  }

  /**
   * How it is known who calls.
   *
   * @param audiences for one of which tokens have to be made that the apiserver is asked about;
   *     none: tokens are not taken to the apiserver
   * @param tokens a file of tokens
   * @param certificates where a client's certificate names the user; empty: certificates say
   *     nothing
   * @param unknown what becomes of those who show nothing
   */
  public record Identification(
      List<String> audiences,
      Optional<Path> tokens,
      Optional<CertificateUserField> certificates,
      Unknown unknown) {
    public Identification {
      audiences = List.copyOf(audiences);
    }

    /** Everybody is let in. */
    public static final Identification NONE =
        new Identification(List.of(), Optional.empty(), Optional.empty(), Unknown.REFUSED);

    /** Whether anybody is asked who he is. */
    public boolean isAsked() {
      return !equals(NONE);
    }

    /** Whether who has no certificate can be known in another way. */
    public boolean isMoreThanCertificates() {
      return !audiences.isEmpty() || tokens.isPresent() || unknown == Unknown.ANONYMOUS;
    }
  }

  /** What becomes of those who show nothing. */
  public enum Unknown {
    REFUSED,
    /** They are {@code system:anonymous}. */
    ANONYMOUS
  }

  /**
   * How open streams are looked at.
   *
   * @param every how often, with jitter of a tenth
   * @param grace how long the apiserver may fail to answer before they end
   */
  public record Rechecks(Duration every, Duration grace) {
    public static final Rechecks DEFAULTS =
        new Rechecks(Duration.ofMinutes(5), Duration.ofMinutes(10));
  }

  /**
   * Of one user.
   *
   * @param streams open at a time
   * @param opensPerSecond in the long run; ten seconds' worth at once
   * @param selections that differ, of open streams
   * @param unreadBytes what may wait in the transport for his streams
   */
  public record Quotas(int streams, int opensPerSecond, int selections, long unreadBytes) {
    public static final Quotas DEFAULTS = new Quotas(20_000, 1_000, 10_000, 64L << 20);
  }

  /** Whether somebody may read everything who shows nothing. */
  public boolean isOpenToAll() {
    boolean unknown = !identification.isAsked() || identification.unknown() == Unknown.ANONYMOUS;
    return unknown && authorization == Authorization.NONE;
  }

  /** For trusted networks: nobody is asked anything. */
  public static final AuthSettings NONE =
      new AuthSettings(Identification.NONE, Authorization.NONE, Rechecks.DEFAULTS, Quotas.DEFAULTS);
}
