package io.watchgate.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.TimeSource;
import io.watchgate.cache.VirtualTime;
import io.watchgate.error.ApiError;
import io.watchgate.error.ApiException;
import io.watchgate.proto.v1.ErrorReason;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the caller by each kind of credentials. */
final class AuthenticatorTest {
  private static final String TOKEN = "t0ken-which-n0body-may-read";
  private static final String HERE = "192.0.2.1";

  private final VirtualTime time = new VirtualTime();
  private final ScriptedReviewers apiserver = new ScriptedReviewers();
  private boolean authorityIsThere = true;
  private final Authenticator authenticator = of(Callers.ALL);

  private Authenticator of(AuthSettings.Identification settings) {
    return of(settings, StaticTokens.empty(), time.source(), Runnable::run);
  }

  private Authenticator of(
      AuthSettings.Identification settings, StaticTokens file, TimeSource clock, Executor threads) {
    return new Authenticator(
        settings,
        file,
        audiences ->
            new TokenReviewCache(apiserver, apiserver, audiences, clock, threads, AuthMetrics.NONE),
        chain -> authorityIsThere,
        clock);
  }

  private Instant in(Duration duration) {
    return time.source().now().plus(duration);
  }

  private static ApiError refused(Authenticator by, Credentials credentials) {
    return refused(by, credentials, HERE);
  }

  private static ApiError refused(Authenticator by, Credentials credentials, String address) {
    try {
      return fail("let in: " + by.authenticate(credentials, address));
    } catch (ApiException e) {
      assertThat(e.error().message()).doesNotContain(TOKEN);
      assertThat(e.toString()).doesNotContain(TOKEN);
      return e.error();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static Credentials bearer(String token) {
    return new Credentials.Bearer(token);
  }

  private Caller let(Credentials credentials) throws Exception {
    return authenticator.authenticate(credentials, HERE);
  }

  private static void assertInvalid(ApiError refusal) {
    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_CREDENTIALS_INVALID);
  }

  private static void assertExpired(ApiError refusal) {
    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_CREDENTIALS_EXPIRED);
  }

  @Test
  void withoutAuthentication_everyCallIsAnonymous() throws Exception {
    Authenticator open = of(AuthSettings.Identification.NONE);

    for (Credentials shown :
        List.of(
            new Credentials.None(),
            new Credentials.Unusable("it is junk"),
            bearer(TOKEN),
            new ShownCertificate("CN=", in(Duration.ZERO)).credentials())) {
      assertThat(open.authenticate(shown, HERE)).isSameAs(Caller.UNAUTHENTICATED);
    }
    assertThat(apiserver.tokens()).isEmpty();
  }

  /** Regardless of the apiserver's answer for the first part. */
  @ParameterizedTest
  @ValueSource(strings = {" x", " x.y", "\tx", "\n", "\u00a0"})
  void tokenWithSpaces_isRejectedWithoutReview(String more) {
    apiserver.knows(TOKEN + more, "alice");

    assertInvalid(refused(authenticator, bearer(TOKEN + more)));
    assertThat(apiserver.tokens()).isEmpty();
  }

  @Test
  void withoutCredentials_errorHasTheRemedy() {
    ApiError refusal = refused(authenticator, new Credentials.None());

    assertInvalid(refusal);
    assertThat(refusal.message())
        .contains("authorization: Bearer TOKEN", "\"watchgate\"", "client certificate");
    assertThat(refused(of(Callers.TOKENS), new Credentials.None()).message())
        .contains("authorization: Bearer TOKEN")
        .doesNotContain("certificate");
  }

  @Test
  void withoutCredentials_isAnonymousOnlyIfConfigured() throws Exception {
    Authenticator anonymous = of(Callers.anonymous(Callers.ALL));

    UserInfo user = anonymous.authenticate(new Credentials.None(), HERE).identity();

    assertThat(user)
        .isEqualTo(
            new UserInfo("system:anonymous", "", List.of("system:unauthenticated"), Map.of()));
    // A caller with bad credentials is not anonymous.
    assertInvalid(refused(anonymous, new Credentials.Unusable("it is junk.")));
    assertInvalid(refused(anonymous, bearer(TOKEN)));
    assertInvalid(
        refused(anonymous, new ShownCertificate("O=g", in(Duration.ofDays(1))).credentials()));
    assertExpired(
        refused(anonymous, new ShownCertificate("CN=u", in(Duration.ZERO)).credentials()));
  }

  @Test
  void unusableCredentials_errorNamesTheDefect() {
    ApiError refusal = refused(authenticator, new Credentials.Unusable("there are several."));

    assertInvalid(refusal);
    assertThat(refusal.message()).contains("there are several");
  }

  @Test
  void token_belongsToTheReviewedUser() throws Exception {
    UserInfo identity = new UserInfo("u", "id", List.of("g"), Map.of("k", List.of("v", "w")));
    apiserver.knows(TOKEN, identity);

    Caller caller = let(bearer(TOKEN));

    assertThat(caller.identity()).isEqualTo(identity);
    assertThat(caller.expiry()).isNull();
    assertThat(caller.toString()).doesNotContain(TOKEN);
  }

  @Test
  void unknownToken_isInvalidOrExpired() {
    assertInvalid(refused(authenticator, bearer(TOKEN)));
    assertInvalid(refused(authenticator, bearer(Callers.expiring(in(Duration.ofSeconds(1))))));
    assertExpired(refused(authenticator, bearer(Callers.expiring(in(Duration.ZERO)))));
  }

  @Test
  void expiredToken_isRejectedDespiteAYes() throws Exception {
    String token = Callers.expiring(in(Duration.ofSeconds(-1)));
    apiserver.knows(token, "u");

    assertExpired(refused(authenticator, bearer(token)));
    assertExpired(refused(authenticator, bearer(token)));
  }

  @Test
  void cachedToken_endsAtItsExpiry() throws Exception {
    String token = Callers.expiring(in(Duration.ofSeconds(30)));
    apiserver.knows(token, "u");

    assertThat(let(bearer(token)).expiry()).isEqualTo(in(Duration.ofSeconds(30)));
    time.advance(Duration.ofMillis(29_999));
    assertThat(let(bearer(token)).user()).isEqualTo("u");
    assertThat(apiserver.tokens()).hasSize(1);
    time.advance(Duration.ofMillis(1));
    assertExpired(refused(authenticator, bearer(token)));
    assertThat(apiserver.tokens()).as("and is remembered no longer").hasSize(2);
  }

  @Test
  void yesIsCachedTwoMinutes_noTenSeconds() throws Exception {
    apiserver.knows(TOKEN, "u");
    let(bearer(TOKEN));
    apiserver.forgets(TOKEN);
    time.advance(Duration.ofMinutes(2).minusNanos(1));
    assertThat(let(bearer(TOKEN)).user()).isEqualTo("u");
    time.advance(Duration.ofNanos(1));
    assertInvalid(refused(authenticator, bearer(TOKEN)));
    assertThat(apiserver.tokens()).hasSize(2);

    apiserver.knows(TOKEN, "u");
    time.advance(Duration.ofSeconds(10).minusNanos(1));
    assertInvalid(refused(authenticator, bearer(TOKEN)));
    time.advance(Duration.ofNanos(1));
    assertThat(let(bearer(TOKEN)).user()).isEqualTo("u");
    assertThat(apiserver.tokens()).hasSize(3);
  }

  @Test
  void missingAnswer_isNotCached() throws Exception {
    apiserver.knows(TOKEN, "u");
    apiserver.isSilent(true);

    ApiError refusal = refused(authenticator, bearer(TOKEN));

    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_UPSTREAM_UNAVAILABLE);
    assertThat(refusal.retryAfter()).isPositive();
    assertThat(refusal.message())
        .doesNotContain("the script says nothing of tokens")
        .contains("to identify the caller");
    apiserver.isSilent(false);
    assertThat(let(bearer(TOKEN)).user()).isEqualTo("u");
  }

  @Test
  void thousandConcurrentCalls_withOneToken_areOneReview() throws Exception {
    apiserver.knows(TOKEN, "u");
    CountDownLatch answer = apiserver.hold();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Authenticator busy = of(Callers.ALL, StaticTokens.empty(), TimeSource.SYSTEM, threads);
      List<Callable<Caller>> calls =
          Collections.nCopies(1_000, () -> busy.authenticate(new Credentials.Bearer(TOKEN), HERE));
      List<Future<Caller>> callers = calls.stream().map(threads::submit).toList();
      await().until(() -> apiserver.asking() == 1);
      answer.countDown();
      for (Future<Caller> caller : callers) {
        assertThat(caller.get().user()).isEqualTo("u");
      }
    }
    assertThat(apiserver.tokens()).hasSize(1);
  }

  @Test
  void failingReviewer_rejectsTheCall() {
    TokenReviewer broken =
        (token, audiences) -> {
          throw new IllegalStateException("a bug");
        };
    Authenticator failing =
        new Authenticator(
            Callers.ALL,
            StaticTokens.empty(),
            audiences ->
                new TokenReviewCache(
                    broken, broken, audiences, time.source(), Runnable::run, AuthMetrics.NONE),
            chain -> true,
            time.source());

    assertThatThrownBy(() -> failing.authenticate(bearer(TOKEN), HERE))
        .isInstanceOf(RuntimeException.class)
        .message()
        .doesNotContain(TOKEN);
  }

  @Test
  void unknownTokens_areLimitedByAddress() throws Exception {
    for (int i = 0; i < 100; i++) {
      assertInvalid(refused(authenticator, bearer("guess-" + i)));
    }
    ApiError refusal = refused(authenticator, bearer("guess-100"));

    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_QUOTA);
    assertThat(refusal.retryAfter()).isPositive();
    assertThat(apiserver.tokens()).hasSize(100);
    assertInvalid(refused(authenticator, bearer("guess-101"), "192.0.2.2"));
    time.advance(Duration.ofSeconds(1));
    for (int i = 0; i < 20; i++) {
      refused(authenticator, bearer("later-" + i));
    }
    assertThat(apiserver.tokens()).hasSize(101 + 10);
  }

  @Test
  void cachedToken_isAcceptedFromLimitedAddress() throws Exception {
    apiserver.knows(TOKEN, "u");
    for (int i = 0; i < 1_000; i++) {
      let(bearer(TOKEN));
    }
    for (int i = 0; i < 120; i++) {
      refused(authenticator, bearer("guess-" + i));
    }

    assertThat(let(bearer(TOKEN)).user()).isEqualTo("u");
    time.advance(Duration.ofMinutes(5)); // the address is dropped, and may be used again
    assertThat(let(bearer(TOKEN)).user()).isEqualTo("u");
  }

  @Test
  void validTokens_areNotLimitedByAddress() throws Exception {
    for (int i = 0; i < 2_000; i++) {
      apiserver.knows("good-" + i, "u" + i);
      assertThat(let(bearer("good-" + i)).user()).isEqualTo("u" + i);
    }
  }

  @Test
  void unavailableApiserver_countsNoUnknownToken() throws Exception {
    apiserver.knows(TOKEN, "u");
    apiserver.isSilent(true);
    for (int i = 0; i < 100; i++) {
      refused(authenticator, bearer(TOKEN));
    }
    apiserver.isSilent(false);

    assertThat(let(bearer(TOKEN)).user()).isEqualTo("u");
  }

  @Test
  void fileToken_isNotReviewed(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("tokens"), TOKEN + ",dev,1,\"a,b\"\n");
    Authenticator both = of(Callers.ALL, StaticTokens.read(file), time.source(), Runnable::run);

    Caller dev = both.authenticate(bearer(TOKEN), HERE);

    assertThat(dev.identity())
        .isEqualTo(UserInfo.authenticated("dev", "1", List.of("a", "b")))
        .extracting(UserInfo::groups)
        .isEqualTo(List.of("a", "b", "system:authenticated"));
    assertThat(apiserver.tokens()).isEmpty();
    assertInvalid(refused(both, bearer(TOKEN + "x")));
    assertThat(apiserver.tokens()).hasSize(1);
    Authenticator alone =
        of(Callers.tokenFile(file), StaticTokens.read(file), time.source(), Runnable::run);
    ApiError unknown = refused(alone, bearer("other"));
    assertInvalid(unknown);
    assertThat(unknown.message()).endsWith("unknown to this gateway. Send another token.");
    assertThat(apiserver.tokens()).hasSize(1);
  }

  // ---- certificates

  private Credentials.Certificate certificate(String subject, String... uris) {
    return new ShownCertificate(subject, in(Duration.ofHours(1)), uris).credentials();
  }

  @Test
  void certificate_namesUserAndGroups() throws Exception {
    Caller caller = let(certificate("CN=jane,O=devs,O=ops,OU=none,C=CH"));

    assertThat(caller.identity())
        .isEqualTo(
            new UserInfo("jane", "", List.of("devs", "ops", "system:authenticated"), Map.of()));
    assertThat(caller.expiry()).isEqualTo(in(Duration.ofHours(1)));
  }

  /** The last one in the order of the encoding, as in Go, which is the first in the text. */
  @Test
  void severalCommonNames_useTheApiserversChoice() throws Exception {
    assertThat(let(certificate("CN=last,CN=first,O=g")).user()).isEqualTo("last");
  }

  @Test
  void groupsOfOneRdn_areAllUsed() throws Exception {
    assertThat(let(certificate("O=a+O=b,CN=u")).identity().groups())
        .containsExactly("a", "b", "system:authenticated");
  }

  @Test
  void name_isUsedUnchanged() throws Exception {
    assertThat(let(certificate("CN=a\\, b=c \\+ d \\\" e\\\\,O=g\\=h")).identity())
        .isEqualTo(
            new UserInfo(
                "a, b=c + d \" e\\", "", List.of("g=h", "system:authenticated"), Map.of()));
  }

  /** A value that is no text would give a memory address as a name. */
  @Test
  void binaryName_isRejected() {
    assertInvalid(refused(authenticator, certificate("CN=#0203010203,O=g")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"O=g", "CN=,O=g", "OU=x", "CN=a+CN=b,O=g"})
  void certificateWithoutCommonName_isRejected(String subject) {
    ApiError refusal = refused(authenticator, certificate(subject, "spiffe://a/b"));

    assertInvalid(refusal);
    assertThat(refusal.message()).contains("common name");
  }

  /** The certificate's connection is still open. */
  @Test
  void certificateOfRemovedAuthority_isRejected() throws Exception {
    Credentials.Certificate certificate = certificate("CN=u");
    Caller caller = let(certificate);
    authorityIsThere = false;

    assertThat(refused(authenticator, certificate).reason())
        .isEqualTo(ErrorReason.ERROR_REASON_CREDENTIALS_EXPIRED);
    assertThatThrownBy(() -> authenticator.reauthenticate(caller, time.source().nanoTime()))
        .isInstanceOfSatisfying(
            ApiException.class,
            e ->
                assertThat(e.error().reason())
                    .isEqualTo(ErrorReason.ERROR_REASON_CREDENTIALS_EXPIRED));
  }

  @Test
  void certificateExpiredAfterHandshake_isRejected() throws Exception {
    Credentials.Certificate certificate = certificate("CN=u");
    time.advance(Duration.ofHours(1).minusNanos(1));
    assertThat(let(certificate).user()).isEqualTo("u");
    time.advance(Duration.ofNanos(1));

    assertExpired(refused(authenticator, certificate));
  }

  @Test
  void byUri_onlyUriNamesTheUser() throws Exception {
    Authenticator byUri =
        of(
            new AuthSettings.Identification(
                List.of(),
                Optional.empty(),
                Optional.of(
                    new AuthSettings.Certificates(
                        CertificateUserField.URI, Set.of(Credentials.Port.GRPC))),
                AuthSettings.MissingCredentials.REFUSED));

    assertThat(byUri.authenticate(certificate("CN=u,O=g", "spiffe://d/ns/a"), HERE).identity())
        .isEqualTo(UserInfo.authenticated("spiffe://d/ns/a", "", List.of("g")));
    assertInvalid(refused(byUri, certificate("CN=u,O=g")));
    assertInvalid(refused(byUri, certificate("CN=u", "spiffe://d/a", "spiffe://d/b")));
    assertThat(refused(byUri, new Credentials.None()).message())
        .contains("Present a client certificate")
        .doesNotContain("Bearer");
  }

  @Test
  void certificatesOfTheOtherPort_areNotOffered() {
    Authenticator kubeOnly =
        of(
            new AuthSettings.Identification(
                List.of(Callers.AUDIENCE),
                Optional.empty(),
                Optional.of(
                    new AuthSettings.Certificates(
                        CertificateUserField.COMMON_NAME, Set.of(Credentials.Port.KUBERNETES_API))),
                AuthSettings.MissingCredentials.REFUSED));
    assertThat(refused(kubeOnly, new Credentials.None()).message())
        .contains(Callers.AUDIENCE)
        .doesNotContain("certificate");
  }

  @ParameterizedTest
  @EnumSource(AuthSettings.MissingCredentials.class)
  void withoutCertificateField_certificateIsIgnored(AuthSettings.MissingCredentials unknown)
      throws Exception {
    Authenticator tokens =
        of(
            new AuthSettings.Identification(
                List.of(Callers.AUDIENCE), Optional.empty(), Optional.empty(), unknown));

    switch (unknown) {
      case REFUSED -> assertInvalid(refused(tokens, certificate("CN=u")));
      case ANONYMOUS -> {
        Caller caller = tokens.authenticate(certificate("CN=u"), HERE);
        assertThat(caller.user()).isEqualTo("system:anonymous");
        assertThat(caller.expiry()).isNull();
      }
    }
  }
}
