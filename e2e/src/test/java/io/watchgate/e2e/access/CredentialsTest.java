package io.watchgate.e2e.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.Credential;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.faults.Requests;
import io.watchgate.e2e.faults.Subscriber;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of authentication: each kind of credential that is accepted, and invalid credentials that
 * are refused.
 */
@WithSharedApiserver
@TestInstance(Lifecycle.PER_CLASS)
final class CredentialsTest {
  private static final Duration HOUR = Duration.ofHours(1);

  @TempDir private static Path folder;

  private Apiserver apiserver;
  private NamespaceReaders readers;
  private PrivateKey key;
  private String namespace;
  private ListAndWatchRequest request;
  private NamespaceReaders.Reader reader;
  private GatewayAccount gatewayAccount;
  private Path tokens;

  /** Gateway that authenticates by TokenReview. */
  private SecuredGateway reviewing;

  /** Gateway that authenticates by TokenReview and admits callers without a token as anonymous. */
  private SecuredGateway open;

  /** Gateway with TLS, client certificates and a token file. */
  private SecuredGateway encrypted;

  @BeforeAll
  void start(Apiserver shared) throws IOException {
    apiserver = shared;
    readers = new NamespaceReaders(shared);
    key = EcKeys.read(shared.file(Credential.ACCOUNTS_KEY));
    namespace = readers.namespace("credentials");
    request = Requests.watch("configmaps", namespace).build();
    reader = readers.create(namespace);
    tokens =
        Files.writeString(
            folder.resolve("tokens.csv"),
            """
            secret-of-grace,grace,uid-1,"access-curators,access-others"
            secret-of-heidi,heidi,uid-2
            """);
    gatewayAccount =
        GatewayAccount.create(
            shared,
            folder,
            "credentials-gateway",
            List.of(Type.CONFIGMAPS, Type.PODS),
            GatewayAccount.REVIEWS_AND_ROLES);
    reviewing = SecuredGateway.open(gatewayAccount, "--token-review");
    open = SecuredGateway.open(gatewayAccount, "--token-review", "--anonymous");
    encrypted =
        SecuredGateway.open(
            gatewayAccount,
            "--tls-cert",
            shared.file(Credential.SERVER).toString(),
            "--tls-key",
            shared.file(Credential.SERVER_KEY).toString(),
            "--tls-client-ca",
            shared.file(Credential.AUTHORITY).toString(),
            "--token-file",
            tokens.toString());
    readers.rights().in(namespace, Subject.user("frank"), Rule.watching("configmaps"));
    readers.rights().in(namespace, Subject.group("access-curators"), Rule.watching("configmaps"));
    await()
        .atMost(Subscriber.LIMIT)
        .until(() -> watch(tls("frank", "CN=frank")).equals(Decision.OPENED));
    await()
        .atMost(Subscriber.LIMIT)
        .until(() -> watch(tls("curator", "CN=ivan,O=access-curators")).equals(Decision.OPENED));
  }

  @AfterAll
  void close() {
    Stream.of(reviewing, open, encrypted)
        .filter(secured -> secured != null)
        .forEach(SecuredGateway::close);
  }

  private String watch(Channel channel) {
    return Decision.watch(channel, request);
  }

  private AccountToken token() {
    return AccountToken.of(reader.account(), HOUR);
  }

  @Test
  void tokenForGateway_isAccepted() {
    assertThat(watch(reviewing.with(readers.accounts().gatewayToken(reader.account()))))
        .isEqualTo(Decision.OPENED);
    assertThat(watch(reviewing.with(token().signed(key)))).isEqualTo(Decision.OPENED);
    assertThat(watch(reviewing.sending("bearer " + token().signed(key))))
        .isEqualTo(Decision.OPENED);
    assertThat(
            watch(
                reviewing.with(
                    readers.accounts().token(reader.account(), "other", GatewayAccount.AUDIENCE))))
        .isEqualTo(Decision.OPENED);
  }

  /** The account would be admitted with a token of the right audience. */
  @Test
  void tokenOfOtherAudience_isRefused() {
    String direct = readers.accounts().directToken(reader.account());
    assertThat(watch(reviewing.with(direct))).isEqualTo(Decision.INVALID);
    assertThat(watch(reviewing.with(readers.accounts().token(reader.account(), "other"))))
        .isEqualTo(Decision.INVALID);
  }

  @Test
  void noCredentials_areRefused() {
    Channel withoutCredentials = reviewing.sending();
    assertThat(watch(withoutCredentials)).isEqualTo(Decision.INVALID);
    assertThat(Decision.list(withoutCredentials, Requests.list("configmaps", namespace).build()))
        .isEqualTo(Decision.INVALID);
    assertThat(Decision.types(withoutCredentials)).isEqualTo(Decision.INVALID);
    // The caller does not learn which types exist.
    assertThat(Decision.watch(withoutCredentials, Requests.watch("nonsense").build()))
        .isEqualTo(Decision.INVALID);
  }

  /**
   * The apiserver itself reads a token only up to a space, also in a review. Text after the space
   * would be a part of the token for the gateway only.
   */
  @Test
  void malformedBearerToken_isRefused() {
    String good = token().signed(key);
    assertThat(
            List.of(
                "",
                "Bearer",
                "Bearer ",
                "Basic " + good,
                good,
                "Bearer nonsense",
                "Bearer a.b.c",
                "Bearer " + "x".repeat(6_000),
                "Bearer " + good + " x",
                "Bearer " + good + " x.y",
                "Bearer " + good + " " + good,
                "Bearer " + good + ",Bearer " + good,
                "Bearer " + good + "\tx"))
        .allSatisfy(
            header -> assertThat(watch(reviewing.sending(header))).isEqualTo(Decision.INVALID));
  }

  @Test
  void twoAuthorizationHeaders_areRefused() {
    String good = "Bearer " + token().signed(key);
    assertThat(watch(reviewing.sending(good))).isEqualTo(Decision.OPENED);
    assertThat(watch(reviewing.sending(good, good))).isEqualTo(Decision.INVALID);
    assertThat(watch(reviewing.sending(good, "Bearer nonsense"))).isEqualTo(Decision.INVALID);
    assertThat(watch(reviewing.sending("Bearer nonsense", good))).isEqualTo(Decision.INVALID);
  }

  @Test
  void token_isAcceptedOnlyWhileValid() {
    Instant now = Instant.now();
    AccountToken expired = token().between(now.minus(HOUR.multipliedBy(2)), now.minus(HOUR));
    assertThat(watch(reviewing.with(expired.signed(key)))).isEqualTo(Decision.EXPIRED);
    AccountToken early = token().between(now.plus(HOUR), now.plus(HOUR.multipliedBy(2)));
    assertThat(watch(reviewing.with(early.signed(key)))).isEqualTo(Decision.INVALID);
  }

  /**
   * The apiserver itself accepts an expired token for one more minute, but then streams would end
   * as soon as they begin.
   */
  @Test
  void justExpiredToken_isRefused() {
    Instant now = Instant.now();
    AccountToken justExpired = token().between(now.minus(HOUR), now.minusSeconds(10));
    assertThat(watch(reviewing.with(justExpired.signed(key)))).isEqualTo(Decision.EXPIRED);
  }

  @Test
  void tokenOfOtherIssuer_isRefused() {
    assertThat(watch(reviewing.with(token().signed(EcKeys.generate().getPrivate()))))
        .isEqualTo(Decision.INVALID);
    // Expired as well: another signer makes no statement about expiry.
    Instant now = Instant.now();
    AccountToken expired = token().between(now.minus(HOUR.multipliedBy(2)), now.minus(HOUR));
    assertThat(watch(reviewing.with(expired.signed(EcKeys.generate().getPrivate()))))
        .isIn(Decision.INVALID, Decision.EXPIRED);
    // Claims of another user with a valid signature by the attacker's key.
    String[] own = token().signed(key).split("\\.", -1);
    NamespaceReaders.Reader other = readers.create(namespace);
    String[] his = AccountToken.of(other.account(), HOUR).signed(key).split("\\.", -1);
    assertThat(watch(reviewing.with(own[0] + "." + his[1] + "." + own[2])))
        .isEqualTo(Decision.INVALID);
    assertThat(watch(reviewing.with(own[0] + "." + own[1] + "."))).isEqualTo(Decision.INVALID);
  }

  @Test
  void tokenOfDeletedAccount_isRefused() {
    NamespaceReaders.Reader gone = readers.create(namespace);
    String token = readers.accounts().gatewayToken(gone.account());
    readers.accounts().delete(gone.account());
    // The apiserver answers reviews from what it has heard of the accounts.
    await()
        .atMost(Subscriber.LIMIT)
        .untilAsserted(() -> assertThat(watch(reviewing.with(token))).isEqualTo(Decision.INVALID));
  }

  /**
   * Headers by which a proxy in front of an apiserver names the user, or by which a caller could
   * claim an identity.
   */
  @Test
  void identityHeaders_areIgnored() {
    Metadata headers = new Metadata();
    for (String name : List.of("X-Remote-User", "Impersonate-User")) {
      headers.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), "admin");
    }
    for (String name : List.of("X-Remote-Group", "Impersonate-Group")) {
      headers.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), "system:masters");
    }
    assertThat(watch(reviewing.sending(headers))).isEqualTo(Decision.INVALID);
    assertThat(watch(open.sending(headers))).isEqualTo(Decision.DENIED);

    headers.put(SecuredGateway.AUTHORIZATION, "Bearer " + token().signed(key));
    assertThat(watch(reviewing.sending(headers))).isEqualTo(Decision.OPENED);
    assertThat(
            Decision.watch(reviewing.sending(headers), Requests.watch("pods", namespace).build()))
        .isEqualTo(Decision.DENIED);
  }

  @Test
  void anonymous_hasAnonymousRightsAndBadTokenIsRefused() {
    assertThat(watch(open.sending())).isEqualTo(Decision.DENIED);
    assertThat(watch(open.with("nonsense"))).isEqualTo(Decision.INVALID);
    assertThat(watch(open.with(token().signed(key)))).isEqualTo(Decision.OPENED);
    String published = readers.namespace("published");
    readers.rights().in(published, Subject.user("system:anonymous"), Rule.watching("configmaps"));
    readers.rights().in(published, Subject.group("system:unauthenticated"), Rule.watching("pods"));
    for (String type : List.of("configmaps", "pods")) {
      var all = Requests.watch(type, published).build();
      await()
          .atMost(Subscriber.LIMIT)
          .until(() -> Decision.watch(open.sending(), all).equals(Decision.OPENED));
    }
  }

  private Channel tls(String about, String subject) {
    return tls(about, ClientCertificate.Authority.of(apiserver), subject, Instant.now().plus(HOUR));
  }

  private Channel tls(
      String about, ClientCertificate.Authority by, String subject, Instant expires) {
    return encrypted.showing(
        folder.resolve(about),
        apiserver.file(Credential.AUTHORITY),
        ClientCertificate.signed(by, subject, expires));
  }

  @Test
  void certificate_namesUserAndGroups() {
    assertThat(watch(tls("named", "CN=frank"))).isEqualTo(Decision.OPENED);
    assertThat(watch(tls("unknown", "CN=nobody"))).isEqualTo(Decision.DENIED);
    assertThat(watch(tls("grouped", "CN=nobody,O=access-curators"))).isEqualTo(Decision.OPENED);
    assertThat(watch(tls("last", "CN=nobody,O=access-others,O=access-curators")))
        .isEqualTo(Decision.OPENED);
    // Neither a unit nor a part of a name is a group.
    assertThat(watch(tls("unit", "CN=nobody,OU=access-curators"))).isEqualTo(Decision.DENIED);
    assertThat(watch(tls("joined", "CN=nobody,O=\"x,O=access-curators\"")))
        .isEqualTo(Decision.DENIED);
    assertThat(watch(tls("inside", "CN=\"x,CN=frank\""))).isEqualTo(Decision.DENIED);
  }

  /** Every authenticated user is a member of one additional group, the same as at an apiserver. */
  @Test
  void authenticatedUser_hasAuthenticatedGroup() {
    String known = readers.namespace("known");
    readers.rights().in(known, Subject.group("system:authenticated"), Rule.watching("configmaps"));
    var all = Requests.watch("configmaps", known).build();
    Channel certified = tls("authenticated", "CN=nobody");
    await()
        .atMost(Subscriber.LIMIT)
        .until(() -> Decision.watch(certified, all).equals(Decision.OPENED));
    Channel channel = encrypted.trusting(apiserver.file(Credential.AUTHORITY));
    assertThat(Decision.watch(SecuredGateway.sending(channel, "Bearer secret-of-heidi"), all))
        .isEqualTo(Decision.OPENED);
    assertThat(Decision.watch(open.sending(), all)).isEqualTo(Decision.DENIED);
  }

  @Test
  void nameWithLineBreak_isEscapedInLog() {
    assertThat(watch(tls("broken", "CN=x\\0Aforged line"))).isEqualTo(Decision.DENIED);
    assertThat(encrypted.said()).noneMatch(line -> line.startsWith("forged line"));
  }

  @Test
  void invalidCertificate_isRefused() {
    ClientCertificate.Authority authority = ClientCertificate.Authority.of(apiserver);
    Instant later = Instant.now().plus(HOUR);
    for (Channel channel :
        List.of(
            tls("foreign", authority.forged(), "CN=frank", later),
            tls("expired", authority, "CN=frank", Instant.now().minus(HOUR)))) {
      assertThat(watch(channel)).isIn(Decision.INVALID, "UNAVAILABLE  ");
    }
    assertThat(watch(tls("nameless", authority, "O=access-curators", later)))
        .isEqualTo(Decision.INVALID);
  }

  /** A connection outlives the certificate with which it was made. */
  @Test
  void expiredCertificate_endsItsStreams() {
    ShortLived.untilBegun(
        expires -> {
          Channel channel =
              tls("expiring", ClientCertificate.Authority.of(apiserver), "CN=frank", expires);
          try (Subscriber subscriber = Subscriber.open(channel, request)) {
            await()
                .atMost(Subscriber.LIMIT)
                .until(() -> subscriber.isOver() || subscriber.isSynced());
            if (!subscriber.isSynced()) {
              return false;
            }
            assertThat(subscriber.end().summary()).isEqualTo(Decision.EXPIRED);
            // A re-check, after five minutes, would come too late.
            assertThat(Instant.now()).isBefore(expires.plusSeconds(60));
          }
          await().atMost(Subscriber.LIMIT).until(() -> Instant.now().isAfter(expires));
          assertThat(watch(channel)).isIn(Decision.INVALID, Decision.EXPIRED, "UNAVAILABLE  ");
          return true;
        });
  }

  /**
   * A connection outlives the trust in the authority with which it was made. The callers of the
   * Kubernetes API have an authority of their own, which means nothing here.
   */
  @Test
  void removedAuthority_isRefusedThoughTheKubeApiTrustsIt() throws IOException {
    Path authority = apiserver.file(Credential.AUTHORITY);
    Path trusted = Files.copy(authority, folder.resolve("clients.crt"));
    try (SecuredGateway both =
        SecuredGateway.open(
            gatewayAccount,
            "--tls-cert",
            apiserver.file(Credential.SERVER).toString(),
            "--tls-key",
            apiserver.file(Credential.SERVER_KEY).toString(),
            "--tls-client-ca",
            trusted.toString(),
            "--token-review",
            "--kube-listen",
            "127.0.0.1:0",
            "--kube-client-ca",
            authority.toString())) {
      Channel channel =
          both.showing(
              folder.resolve("removed"),
              authority,
              ClientCertificate.signed(
                  ClientCertificate.Authority.of(apiserver), "CN=frank", Instant.now().plus(HOUR)));
      assertThat(watch(channel)).isEqualTo(Decision.OPENED);

      HeldCertificate other = new HeldCertificate.Builder().certificateAuthority(0).build();
      Files.writeString(trusted, other.certificatePem());

      await().atMost(Subscriber.LIMIT).until(() -> watch(channel).equals(Decision.INVALID));
    }
  }

  @Test
  void tokenFile_namesUserAndGroups() {
    ManagedChannel channel = encrypted.trusting(apiserver.file(Credential.AUTHORITY));
    assertThat(watch(SecuredGateway.sending(channel, "Bearer secret-of-grace")))
        .isEqualTo(Decision.OPENED);
    assertThat(watch(SecuredGateway.sending(channel, "Bearer secret-of-heidi")))
        .isEqualTo(Decision.DENIED);
    assertThat(watch(SecuredGateway.sending(channel, "Bearer secret-of-nobody")))
        .isEqualTo(Decision.INVALID);
    assertThat(watch(SecuredGateway.sending(channel, "Bearer secret-of-grac")))
        .isEqualTo(Decision.INVALID);
    assertThat(watch(channel)).isEqualTo(Decision.INVALID);
    // A token of the apiserver is invalid here, because token review is not configured.
    assertThat(watch(SecuredGateway.sending(channel, "Bearer " + token().signed(key))))
        .isEqualTo(Decision.INVALID);
  }

  @Test
  void gatewayWithoutReviewRight_refusesAll() {
    GatewayAccount blind =
        GatewayAccount.create(
            apiserver, folder, "credentials-blind", List.of(Type.CONFIGMAPS), List.of());
    try (SecuredGateway secured =
        SecuredGateway.open(blind, "--token-review", "--token-file", tokens.toString())) {
      // The gateway can check neither the identity nor, for a known identity, its rights.
      assertThat(watch(secured.with(token().signed(key)))).isEqualTo(Decision.UNREACHABLE);
      assertThat(watch(secured.with("secret-of-grace"))).isEqualTo(Decision.UNREACHABLE);
    }
  }

  @Test
  void withoutAuthorization_anyAuthenticatedUserIsAdmitted() {
    try (SecuredGateway secured =
        SecuredGateway.open(
            gatewayAccount, "--token-file", tokens.toString(), "--authorization", "none")) {
      assertThat(watch(secured.with("secret-of-heidi"))).isEqualTo(Decision.OPENED);
      assertThat(watch(secured.with("nonsense"))).isEqualTo(Decision.INVALID);
      assertThat(watch(secured.sending())).isEqualTo(Decision.INVALID);
    }
  }

  @Test
  void tokens_areInNoLogOrMetric() {
    List<String> shown = new ArrayList<>();
    for (int number = 0; number < 3; number++) {
      shown.add(token().signed(key));
      shown.add("nonsense-" + number + "-of-nobody");
    }
    shown.forEach(token -> watch(reviewing.with(token)));
    watch(
        SecuredGateway.sending(
            encrypted.trusting(apiserver.file(Credential.AUTHORITY)), "Bearer secret-of-grace"));
    shown.add("secret-of-grace");
    String all = "";
    for (SecuredGateway secured : List.of(reviewing, open, encrypted)) {
      all += String.join("\n", secured.said()) + secured.metrics();
    }
    for (String token : shown) {
      assertThat(all).doesNotContain(token);
      assertThat(all).doesNotContain(token.substring(token.lastIndexOf('.') + 1));
    }
  }
}
