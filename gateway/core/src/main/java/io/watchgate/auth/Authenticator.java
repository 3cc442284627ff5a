package io.watchgate.auth;

import io.watchgate.cache.TimeSource;
import io.watchgate.error.AccessErrors;
import io.watchgate.error.ApiException;
import io.watchgate.error.LimitErrors;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import javax.naming.InvalidNameException;
import org.jspecify.annotations.Nullable;

/**
 * Authenticator of calls by their credentials. Credentials that are sent must be valid: a call with
 * a bad token is neither authenticated by its certificate nor accepted as anonymous. A token takes
 * precedence over a certificate, since the token belongs to the call and the certificate to the
 * connection. Thread-safe; blocks.
 */
final class Authenticator {
  private final AuthSettings.Identification settings;
  private final StaticTokens tokens;
  private final TimeSource time;
  private final Predicate<Credentials.Certificate> trusted;
  private final UnknownTokenLimiter unknownTokens;
  private final ReviewErrors unanswered;

  /** Null: tokens are not sent to the apiserver. */
  private final @Nullable TokenReviewCache tokenReviews;

  private final TokenReviewCache apiserverReviews;

  /**
   * Creates an authenticator.
   *
   * @param reviews returns the reviewer of tokens with one of some audiences
   * @param trusted tests whether the current authorities still lead to a certificate; certificates
   *     without a trusted authority were rejected by TLS before
   */
  Authenticator(
      AuthSettings.Identification settings,
      StaticTokens tokens,
      Function<List<String>, TokenReviewCache> reviews,
      Predicate<Credentials.Certificate> trusted,
      TimeSource time) {
    this.settings = settings;
    this.tokens = tokens;
    this.tokenReviews = settings.audiences().isEmpty() ? null : reviews.apply(settings.audiences());
    this.apiserverReviews = reviews.apply(List.of());
    this.trusted = trusted;
    this.time = time;
    this.unknownTokens = new UnknownTokenLimiter(time);
    this.unanswered = new ReviewErrors(time);
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
      case Credentials.Unusable(String problem) ->
          throw new ApiException(AccessErrors.unusable(problem));
      case Credentials.Certificate certificate -> byCertificate(certificate);
      case Credentials.Bearer bearer -> byToken(bearer, address);
      case Credentials.ApiserverToken bearer ->
          byReview(bearer, bearer.token(), apiserverReviews, address);
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
        yield callerOf(
            bearer, bearer.token(), tokenReviews.authenticateSince(since, bearer.token()));
      }
      case Credentials.ApiserverToken bearer ->
          callerOf(
              bearer, bearer.token(), apiserverReviews.authenticateSince(since, bearer.token()));
    };
  }

  private Caller withoutCredentials(Credentials none) throws ApiException {
    return switch (settings.missingCredentials()) {
      case ANONYMOUS -> new Caller(UserInfo.ANONYMOUS, none, null);
      case REFUSED -> throw new ApiException(AccessErrors.noCredentials(accepted()));
    };
  }

  /** Returns what a caller over gRPC may send; over HTTP callers get the words of an apiserver. */
  private AccessErrors.Accepted accepted() {
    return new AccessErrors.Accepted(
        settings.tokens().isPresent() || !settings.audiences().isEmpty(),
        settings.audiences(),
        settings
            .certificates()
            .filter(method -> method.ports().contains(Credentials.Port.GRPC))
            .isPresent());
  }

  private Caller byCertificate(Credentials.Certificate credentials) throws ApiException {
    X509Certificate certificate = credentials.certificate();
    CertificateUserField user =
        settings.certificates().map(AuthSettings.Certificates::user).orElse(null);
    if (user == null) {
      return withoutCredentials(new Credentials.None());
    }
    Instant expiry = certificate.getNotAfter().toInstant();
    if (!time.now().isBefore(expiry)) {
      throw new ApiException(AccessErrors.certificateExpired(expiry));
    }
    if (!trusted.test(credentials)) {
      throw new ApiException(AccessErrors.authorityNotTrusted());
    }
    try {
      return new Caller(CertificateAuthenticator.userOf(certificate, user), credentials, expiry);
    } catch (InvalidNameException e) {
      throw new ApiException(AccessErrors.certificateWithoutUser(String.valueOf(e.getMessage())));
    }
  }

  private Caller byToken(Credentials.Bearer bearer, Object address)
      throws ApiException, InterruptedException {
    requireOneWord(bearer.token());
    Optional<UserInfo> listed = tokens.find(bearer.token());
    if (listed.isPresent()) {
      return new Caller(listed.get(), bearer, null);
    }
    if (tokenReviews == null) {
      throw new ApiException(AccessErrors.tokenNotInFile(accepted()));
    }
    return byReview(bearer, bearer.token(), tokenReviews, address);
  }

  private Caller byReview(
      Credentials credentials, String token, TokenReviewCache reviews, Object address)
      throws ApiException, InterruptedException {
    requireOneWord(token);
    UnknownTokenLimiter.Attempt attempt = unknownTokens.attempt(address);
    try {
      Optional<TokenReviewCache.Known> answer = reviews.authenticate(token, attempt::tryCount);
      if (answer.isPresent()) {
        attempt.refund();
      }
      return callerOf(credentials, token, answer);
    } catch (ReviewUnavailableException e) {
      if (!attempt.wasRefused()) {
        attempt.refund();
        throw unanswered.refusal(AccessErrors.WHO_CALLS, e);
      }
      throw new ApiException(LimitErrors.unknownTokens(UnknownTokenSettings.BURST));
    }
  }

  /**
   * Requires that a token has no spaces. The apiserver would review only the text before the first
   * space, while the gateway would accept, and read the expiry of, the complete text.
   */
  private static void requireOneWord(String token) throws ApiException {
    if (!token.chars().allMatch(each -> each > ' ' && each < 0x7f)) {
      throw new ApiException(AccessErrors.tokenNotOneWord());
    }
  }

  private Caller callerOf(
      Credentials credentials, String token, Optional<TokenReviewCache.Known> answer)
      throws ApiException {
    Instant expiry =
        answer.map(TokenReviewCache.Known::expiry).orElseGet(() -> JwtExpiry.of(token));
    if (expiry != null && !time.now().isBefore(expiry)) {
      throw new ApiException(AccessErrors.tokenExpired(expiry));
    }
    if (answer.isEmpty()) {
      throw new ApiException(AccessErrors.tokenUnknownToApiserver(accepted()));
    }
    return new Caller(answer.get().identity(), credentials, answer.get().expiry());
  }

  /** Returns the number of cached token reviews. */
  long cachedTokens() {
    long known = tokenReviews == null ? 0 : tokenReviews.cachedTokens();
    return known + apiserverReviews.cachedTokens();
  }
}
