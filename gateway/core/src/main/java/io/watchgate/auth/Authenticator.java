package io.watchgate.auth;

import io.watchgate.cache.TimeSource;
import io.watchgate.error.AccessErrors;
import io.watchgate.error.ApiException;
import io.watchgate.error.LimitErrors;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import javax.naming.InvalidNameException;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates a call by its credentials. Credentials that are sent must be valid: a call with a
 * bad token is neither authenticated by its certificate nor accepted as anonymous. A token takes
 * precedence over a certificate, since the token belongs to the call and the certificate to the
 * connection. Thread-safe; blocks.
 */
final class Authenticator {
  private final AuthSettings.Identification settings;
  private final StaticTokens tokens;
  private final TimeSource time;
  private final Predicate<List<X509Certificate>> trusted;
  private final UnknownTokenLimiter unknownTokens;
  private final ReviewUnavailable unanswered;

  /** Null: tokens are not sent to the apiserver. */
  private final @Nullable TokenReviewAuthenticator tokenReviews;

  /**
   * Creates an authenticator.
   *
   * @param trusted tests whether the current authorities still lead to a certificate; certificates
   *     without a trusted authority were rejected by TLS before
   */
  Authenticator(
      AuthSettings.Identification settings,
      StaticTokens tokens,
      @Nullable TokenReviewAuthenticator authority,
      Predicate<List<X509Certificate>> trusted,
      TimeSource time) {
    this.settings = settings;
    this.tokens = tokens;
    this.tokenReviews = authority;
    this.trusted = trusted;
    this.time = time;
    this.unknownTokens = new UnknownTokenLimiter(time);
    this.unanswered = new ReviewUnavailable(time);
  }

  /**
   * Returns the caller.
   *
   * @param address address of the client; failures are counted by address
   */
  Caller authenticate(Credentials credentials, Object address)
      throws ApiException, InterruptedException {
    if (!settings.isEnabled()) {
      return Caller.UNAUTHENTICATED;
    }
    return switch (credentials) {
      case Credentials.None none -> withoutCredentials(none);
      case Credentials.Unusable(String what) -> throw new ApiException(AccessErrors.unusable(what));
      case Credentials.Certificate certificate -> byCertificate(certificate);
      case Credentials.Bearer bearer -> byToken(bearer, address);
    };
  }

  /**
   * Authenticates a caller again, by reviews that began at that moment, in {@code nanoTime}, or
   * later.
   */
  Caller reauthenticate(Caller caller, long since)
      throws ApiException, ReviewUnavailableException, InterruptedException {
    return switch (caller.credentials()) {
      case Credentials.None _, Credentials.Unusable _ -> caller;
      case Credentials.Certificate certificate -> byCertificate(certificate);
      case Credentials.Bearer bearer -> {
        if (tokenReviews == null || tokens.find(bearer.token()).isPresent()) {
          yield caller; // the file is read once
        }
        yield callerOf(bearer, tokenReviews.authenticateSince(since, bearer.token()));
      }
    };
  }

  private Caller withoutCredentials(Credentials none) throws ApiException {
    return switch (settings.unknown()) {
      case ANONYMOUS -> new Caller(UserInfo.ANONYMOUS, none, null);
      case REFUSED -> throw new ApiException(AccessErrors.noCredentials(remedy()));
    };
  }

  private String remedy() {
    return AccessErrors.remedy(
        settings.tokens().isPresent() || !settings.audiences().isEmpty(),
        settings.audiences(),
        settings.certificates().isPresent());
  }

  private Caller byCertificate(Credentials.Certificate shown) throws ApiException {
    X509Certificate certificate = shown.certificate();
    CertificateUserField user = settings.certificates().orElse(null);
    if (user == null) {
      return withoutCredentials(new Credentials.None());
    }
    Instant expiry = certificate.getNotAfter().toInstant();
    if (!time.now().isBefore(expiry)) {
      throw new ApiException(AccessErrors.certificateExpired(expiry));
    }
    if (!trusted.test(shown.chain())) {
      throw new ApiException(AccessErrors.authorityNotTrusted());
    }
    try {
      return new Caller(CertificateAuthenticator.userOf(certificate, user), shown, expiry);
    } catch (InvalidNameException e) {
      throw new ApiException(AccessErrors.certificateWithoutUser(String.valueOf(e.getMessage())));
    }
  }

  private Caller byToken(Credentials.Bearer bearer, Object address)
      throws ApiException, InterruptedException {
    if (!hasNoSpaces(bearer.token())) {
      throw new ApiException(AccessErrors.tokenNotOneWord());
    }
    Optional<UserInfo> listed = tokens.find(bearer.token());
    if (listed.isPresent()) {
      return new Caller(listed.get(), bearer, null);
    }
    if (tokenReviews == null) {
      throw new ApiException(AccessErrors.tokenNotInFile(remedy()));
    }
    UnknownTokenLimiter.Attempt attempt = unknownTokens.attempt(address);
    try {
      Optional<TokenReviewAuthenticator.Known> answer =
          tokenReviews.authenticate(bearer.token(), attempt::tryCount);
      if (answer.isPresent()) {
        attempt.refund();
      }
      return callerOf(bearer, answer);
    } catch (ReviewUnavailableException e) {
      if (!attempt.wasRefused()) {
        attempt.refund();
        throw unanswered.refusal(AccessErrors.WHO_CALLS, e);
      }
      throw new ApiException(LimitErrors.unknownTokens(AuthSettings.UnknownTokens.BURST));
    }
  }

  /**
   * Returns whether a token has no spaces. The apiserver would review only the text before the
   * first space, while the gateway would accept, and read the expiry of, the complete text.
   */
  private static boolean hasNoSpaces(String token) {
    return token.chars().allMatch(each -> each > ' ' && each < 0x7f);
  }

  private Caller callerOf(
      Credentials.Bearer bearer, Optional<TokenReviewAuthenticator.Known> answer)
      throws ApiException {
    Instant expiry =
        answer
            .map(TokenReviewAuthenticator.Known::expiry)
            .orElseGet(() -> JwtExpiry.of(bearer.token()));
    if (expiry != null && !time.now().isBefore(expiry)) {
      throw new ApiException(AccessErrors.tokenExpired(expiry));
    }
    if (answer.isEmpty()) {
      throw new ApiException(AccessErrors.tokenUnknownToApiserver(remedy()));
    }
    return new Caller(answer.get().identity(), bearer, answer.get().expiry());
  }

  /** Returns the number of cached token reviews. */
  long cachedTokens() {
    return tokenReviews == null ? 0 : tokenReviews.cachedTokens();
  }
}
