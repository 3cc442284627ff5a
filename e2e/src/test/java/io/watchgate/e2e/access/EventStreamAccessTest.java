package io.watchgate.e2e.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.Credential;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.events.EventReader;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.kube.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import okhttp3.tls.Certificates;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Credentials and rights of watches as server-sent events, and their lines in the audit log. */
@WithSharedApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class EventStreamAccessTest {
  /**
   * Limit for the end of a stream. Without a re-check after a change it would end at the usual one,
   * after five minutes.
   */
  private static final Duration SOON = Duration.ofMinutes(3);

  @TempDir private static Path folder;

  private final HttpClient http = HttpClient.newHttpClient();
  private Apiserver apiserver;
  private NamespaceReaders readers;
  private SecuredGateway gateway;

  @BeforeAll
  void start(Apiserver shared) {
    apiserver = shared;
    readers = new NamespaceReaders(shared);
    gateway =
        SecuredGateway.open(
            GatewayAccount.create(
                shared,
                folder,
                "events-gateway",
                List.of(Type.CONFIGMAPS, Type.PODS),
                GatewayAccount.REVIEWS_AND_ROLES),
            "--token-review",
            "--kube-listen",
            "127.0.0.1:0");
  }

  @AfterAll
  void stop() {
    gateway.close();
    http.close();
  }

  private URI uri(String type, String namespace) {
    return URI.create(
        "http://127.0.0.1:%d/v1/watch?resource=%s&namespace=%s"
            .formatted(gateway.kubePort(), type, namespace));
  }

  private EventReader open(String namespace, String token, String... headers) {
    String[] all = new String[headers.length + 2];
    System.arraycopy(headers, 0, all, 2, headers.length);
    all[0] = "Authorization";
    all[1] = "Bearer " + token;
    return EventReader.open(http, uri("configmaps", namespace), all);
  }

  private HttpResponse<String> send(URI at, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(at);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  /** Waits for a line of the gateway that contains all parts. */
  private void awaitSaid(String... parts) {
    await()
        .atMost(EventReader.LIMIT)
        .until(
            () ->
                gateway.said().stream()
                    .anyMatch(line -> Stream.of(parts).allMatch(line::contains)));
  }

  @Test
  void callersWithoutAValidToken_areRefused() throws Exception {
    String namespace = readers.namespace("events");
    NamespaceReaders.Reader reader = readers.create(namespace);
    URI uri = uri("configmaps", namespace);
    String ofApiserver = readers.accounts().directToken(reader.account());
    for (String[] headers :
        new String[][] {
          {},
          {"Authorization", "Bearer nonsense"},
          {"Authorization", "Basic dXNlcjpwYXNzd29yZA=="},
          {"Authorization", "Bearer " + ofApiserver} // of another audience
        }) {
      HttpResponse<String> answer = send(uri, headers);
      assertThat(answer.statusCode()).isEqualTo(401);
      assertThat(answer.headers().firstValue("www-authenticate")).contains("Bearer");
      assertThat(answer.headers().firstValue("watchgate-reason")).contains("CREDENTIALS_INVALID");
      JsonNode problem = Json.parse(answer.body());
      assertThat(problem.get("action").textValue()).isEqualTo("STOP");
      assertThat(problem.get("message").textValue()).isNotEmpty().doesNotContain(ofApiserver);
    }
    assertThat(String.join("\n", gateway.said())).doesNotContain(ofApiserver);
  }

  @Test
  void callerWithoutTheRight_isRefusedAndAudited() throws Exception {
    String namespace = readers.namespace("events");
    NamespaceReaders.Reader reader = readers.create(namespace);
    String token = readers.accounts().gatewayToken(reader.account());
    HttpResponse<String> answer = send(uri("pods", namespace), "Authorization", "Bearer " + token);
    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(answer.body()).contains("ACCESS_DENIED");
    awaitSaid("denied", "ACCESS_DENIED", reader.account().user());
  }

  @Test
  void revokedRight_endsTheStreamForGood() throws Exception {
    String namespace = readers.namespace("events");
    NamespaceReaders.Reader reader = readers.create(namespace);
    String token = readers.accounts().gatewayToken(reader.account());
    try (EventReader stream = open(namespace, token)) {
      String id = stream.awaitFirst("synced").id();
      awaitSaid("opened", reader.account().user());

      readers.rights().revoke(reader.grant());

      await().atMost(SOON).until(stream::isOver);
      JsonNode problem = stream.events("problem").getFirst().data();
      assertThat(problem.get("reason").textValue()).isEqualTo("ACCESS_CHANGED");
      assertThat(problem.get("action").textValue()).isEqualTo("STOP");
      try (EventReader again = open(namespace, token, "Last-Event-ID", id)) {
        assertThat(again.status()).isEqualTo(204);
        assertThat(again.header("watchgate-reason")).isEqualTo("ACCESS_DENIED");
      }
      try (EventReader again = open(namespace, token)) {
        assertThat(again.status()).isEqualTo(403);
      }
    }
  }

  @Test
  void holderOfACertificate_watchesOverTls() throws Exception {
    try (Command encrypted =
        Command.startGateway(
            Command.HEAP_MIB,
            apiserver,
            "--kube-listen",
            "127.0.0.1:0",
            "--token-review",
            "--kube-client-ca",
            apiserver.file(Credential.AUTHORITY).toString())) {
      URI uri =
          URI.create(
              "https://127.0.0.1:"
                  + encrypted.awaitServing().kube()
                  + "/v1/watch?resource=namespaces");
      ClientCertificate.Authority authority = ClientCertificate.Authority.of(apiserver);
      try (HttpClient client = client(authority, "CN=admin, O=system:masters");
          EventReader stream = EventReader.open(client, uri)) {
        assertThat(stream.version()).isEqualTo(HttpClient.Version.HTTP_2);
        assertThat(stream.awaitFirst("synced").data().get("objects").asInt()).isPositive();
      }
      try (HttpClient client = client(authority, "CN=outsider");
          EventReader stream = EventReader.open(client, uri)) {
        assertThat(stream.status()).isEqualTo(403);
      }
      try (HttpClient client = client(authority.forged(), "CN=admin, O=system:masters");
          EventReader stream = EventReader.open(client, uri)) {
        assertThat(stream.status()).isEqualTo(401);
      }
    }
  }

  private HttpClient client(ClientCertificate.Authority by, String subject) throws IOException {
    ClientCertificate shown = ClientCertificate.signed(by, subject, Instant.now().plusSeconds(600));
    SSLContext tls =
        new HandshakeCertificates.Builder()
            .addTrustedCertificate(
                Certificates.decodeCertificatePem(
                    Files.readString(apiserver.file(Credential.AUTHORITY))))
            .heldCertificate(HeldCertificate.decode(shown.certificate() + shown.key()))
            .build()
            .sslContext();
    return HttpClient.newBuilder().sslContext(tls).build();
  }
}
