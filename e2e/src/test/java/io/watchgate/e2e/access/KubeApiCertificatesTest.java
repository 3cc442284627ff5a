package io.watchgate.e2e.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.Credential;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import javax.net.ssl.SSLContext;
import okhttp3.tls.Certificates;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of callers with client certificates over the Kubernetes read API, with the authorities of
 * the cluster. The apiserver itself, with the same certificate, is the model.
 */
@WithSharedApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class KubeApiCertificatesTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final String NAMESPACE = "certificates";
  private static final String LIST =
      "/api/v1/namespaces/" + NAMESPACE + "/configmaps?resourceVersion=0";

  private static final String AHEAD =
      "/api/v1/namespaces/" + NAMESPACE + "/configmaps?resourceVersion=999999999999";

  private Apiserver apiserver;
  private Command gateway;
  private URI server;

  @BeforeAll
  void start(Apiserver shared) {
    apiserver = shared;
    apiserver.cluster().createNamespace(NAMESPACE);
    apiserver
        .cluster()
        .create(
            Resource.CONFIGMAPS,
            Json.parse(
                "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":\""
                    + NAMESPACE
                    + "\",\"name\":\"one\"}}"));
    gateway = gateway("cluster");
    server = uri(gateway);
    ClientCertificate admin = signed("CN=admin, O=system:masters");
    await() // the authorities of the cluster are read after the start
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(get(server, admin, LIST).statusCode()).isEqualTo(200));
  }

  @AfterAll
  void stop() {
    gateway.close();
  }

  private Command gateway(String authorities) {
    return Command.startGateway(
        Command.HEAP_MIB,
        apiserver,
        "--kube-listen",
        "127.0.0.1:0",
        "--token-review",
        "--kube-client-ca",
        authorities);
  }

  private static URI uri(Command gateway) {
    return URI.create("https://127.0.0.1:" + gateway.awaitServing().kube());
  }

  private ClientCertificate signed(String subject) {
    return ClientCertificate.signed(
        ClientCertificate.Authority.of(apiserver), subject, Instant.now().plusSeconds(600));
  }

  private HttpResponse<String> get(
      URI at, ClientCertificate certificate, String path, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(at.resolve(path)).header("Accept", "application/json");
    if (headers.length > 0) {
      request.headers(headers);
    }
    try (HttpClient client = HttpClient.newBuilder().sslContext(tls(certificate)).build()) {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
  }

  private SSLContext tls(ClientCertificate certificate) throws IOException {
    return new HandshakeCertificates.Builder()
        .addTrustedCertificate(
            Certificates.decodeCertificatePem(
                Files.readString(apiserver.file(Credential.AUTHORITY))))
        .heldCertificate(HeldCertificate.decode(certificate.certificate() + certificate.key()))
        .build()
        .sslContext();
  }

  private static String source(HttpResponse<?> answer) {
    return answer.headers().firstValue("Watchgate-Source").orElse("");
  }

  private String bearer() {
    return "Bearer " + apiserver.token();
  }

  @Test
  void holder_readsFromTheCaches() throws Exception {
    ClientCertificate admin = signed("CN=admin, O=system:masters");
    HttpResponse<String> answer = get(server, admin, LIST);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(source(answer)).isEqualTo("cache");
    assertThat(answer.body()).contains("\"name\":\"one\"");
    HttpRequest watching =
        HttpRequest.newBuilder(server.resolve(LIST + "&watch=1&allowWatchBookmarks=true"))
            .header("Accept", "application/json")
            .build();
    try (HttpClient client = HttpClient.newBuilder().sslContext(tls(admin)).build()) {
      HttpResponse<InputStream> watch =
          client.send(watching, HttpResponse.BodyHandlers.ofInputStream());
      try (BufferedReader events =
          new BufferedReader(new InputStreamReader(watch.body(), StandardCharsets.UTF_8))) {
        assertThat(source(watch)).isEqualTo("cache");
        assertThat(events.readLine()).contains("\"ADDED\"", "\"name\":\"one\"");
      }
    }
  }

  @Test
  void authorityOfAFile_isAccepted() throws Exception {
    try (Command other = gateway(apiserver.file(Credential.AUTHORITY).toString())) {
      ClientCertificate admin = signed("CN=admin, O=system:masters");
      await() // until the type is loaded, which a busy machine may take a while for
          .atMost(LIMIT)
          .untilAsserted(() -> assertThat(source(get(uri(other), admin, LIST))).isEqualTo("cache"));
    }
  }

  /** A relay would be anonymous, or that of the token's user, who may be another. */
  @Test
  void holder_isNotRelayedAndRefusalIsAudited() throws Exception {
    ClientCertificate admin = signed("CN=unrelayed, O=system:masters");
    for (String[] headers : new String[][] {{}, {"Authorization", bearer()}}) {
      HttpResponse<String> answer = get(server, admin, "/api/v1/secrets", headers);
      assertThat(answer.statusCode()).isEqualTo(403);
      assertThat(source(answer)).isEqualTo("gateway");
      assertThat(answer.body()).contains("cannot pass a client certificate on");
    }
    assertThat(gateway.awaitErr("unrelayed"))
        .contains("denied", "CREDENTIALS_INVALID", "\"resource\":\"secrets\"");
  }

  @Test
  void holder_versionIsNotReached_mayTryAgain() throws Exception {
    ClientCertificate admin = signed("CN=admin, O=system:masters");
    HttpResponse<String> answer = get(server, admin, AHEAD);
    assertThat(answer.statusCode()).isEqualTo(504);
    assertThat(answer.headers().firstValue("Retry-After")).contains("1");
    assertThat(answer.body()).contains("ResourceVersionTooLarge");
  }

  @Test
  void holderWithoutRights_getsNothing() throws Exception {
    ClientCertificate outsider = signed("CN=outsider");
    HttpResponse<String> answer = get(server, outsider, LIST);
    assertThat(answer.statusCode())
        .isEqualTo(get(apiserver.server(), outsider, LIST).statusCode())
        .isEqualTo(403);
    assertThat(answer.body()).doesNotContain("one");
  }

  /** The certificate's user counts, although a token of an administrator comes with it. */
  @Test
  void certificate_takesPrecedenceOverAToken() throws Exception {
    HttpResponse<String> answer =
        get(server, signed("CN=outsider"), LIST, "Authorization", bearer());
    assertThat(answer.statusCode())
        .isEqualTo(
            get(apiserver.server(), signed("CN=outsider"), LIST, "Authorization", bearer())
                .statusCode())
        .isEqualTo(403);
  }

  @Test
  void foreignCertificate_isUnauthorizedUnlessATokenComesWithIt() throws Exception {
    ClientCertificate forged =
        ClientCertificate.signed(
            ClientCertificate.Authority.of(apiserver).forged(),
            "CN=admin, O=system:masters",
            Instant.now().plusSeconds(600));
    assertUnauthorized(forged);
    HttpResponse<String> withToken = get(server, forged, LIST, "Authorization", bearer());
    assertThat(withToken.statusCode())
        .isEqualTo(get(apiserver.server(), forged, LIST, "Authorization", bearer()).statusCode())
        .isEqualTo(200);
    assertThat(get(server, forged, "/version", "Authorization", bearer()).statusCode())
        .isEqualTo(200);
  }

  @Test
  void expiredCertificate_isUnauthorized() throws Exception {
    assertUnauthorized(
        ClientCertificate.signed(
            ClientCertificate.Authority.of(apiserver),
            "CN=admin, O=system:masters",
            Instant.now().minusSeconds(60)));
  }

  private void assertUnauthorized(ClientCertificate certificate) throws Exception {
    for (String path : new String[] {LIST, "/version", "/api"}) {
      HttpResponse<String> answer = get(server, certificate, path);
      HttpResponse<String> model = get(apiserver.server(), certificate, path);
      assertThat(answer.statusCode()).as(path).isEqualTo(model.statusCode()).isEqualTo(401);
      assertThat(Json.parse(answer.body()).get("message"))
          .isEqualTo(Json.parse(model.body()).get("message"));
    }
  }

  @Test
  void missingFile_isNamedAtTheStart(@TempDir Path folder) throws Exception {
    Path none = folder.resolve("none.crt");
    try (Command other = gateway(none.toString())) {
      assertThat(other.awaitErr(none.toString())).contains("none.crt");
    }
  }
}
