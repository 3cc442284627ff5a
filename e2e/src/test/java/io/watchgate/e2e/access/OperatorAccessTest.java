package io.watchgate.e2e.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.faults.Requests;
import io.watchgate.e2e.faults.Subscriber;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.RawWatch;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** Pages for operators about rights, and the rights that they require of their readers. */
@WithSharedApiserver
@TestInstance(Lifecycle.PER_CLASS)
final class OperatorAccessTest {
  @TempDir private static Path folder;

  private Apiserver apiserver;
  private NamespaceReaders readers;
  private SecuredGateway gateway;

  @BeforeAll
  void open(Apiserver shared) {
    apiserver = shared;
    readers = new NamespaceReaders(shared);
    gateway =
        SecuredGateway.open(
            GatewayAccount.create(
                shared,
                folder,
                "operator-access",
                List.of(Type.CONFIGMAPS),
                GatewayAccount.REVIEWS_AND_ROLES),
            "--token-review",
            "--kube-listen",
            "127.0.0.1:0");
  }

  @AfterAll
  void close() {
    gateway.close();
  }

  private List<JsonNode> rows(String path, String table) {
    HttpResponse<String> page = gateway.page(path, "Accept", "application/json");
    assertThat(page.statusCode()).as(page.body()).isEqualTo(200);
    List<JsonNode> rows = new ArrayList<>();
    Json.parse(page.body()).get(table).forEach(rows::add);
    return rows;
  }

  private Subscriber subscribe(NamespaceReaders.Reader reader, String namespace) {
    return Subscriber.open(
            gateway.with(readers.accounts().gatewayToken(reader.account())),
            Requests.watch("configmaps", namespace).build())
        .begun();
  }

  @Test
  void grant_isShownUntilItsRightIsRevoked() {
    String namespace = readers.namespace("granted");
    NamespaceReaders.Reader reader = readers.create(namespace);
    String user = reader.account().user();
    String token = readers.accounts().gatewayToken(reader.account());
    String grants = "/debug/grants?user=" + user;
    try (Subscriber his =
        Subscriber.open(gateway.with(token), Requests.watch("configmaps", namespace).build())
            .begun()) {
      // A check that is due at once, after the reader's own binding, may still be unanswered.
      await()
          .atMost(Subscriber.LIMIT)
          .untilAsserted(
              () ->
                  assertThat(rows(grants, "grants"))
                      .singleElement()
                      .satisfies(row -> assertIsAllowed(row, namespace)));
      for (String form : List.of("application/json", "text/html", "text/plain")) {
        assertThat(gateway.page(grants, "Accept", form).body())
            .contains(user)
            .doesNotContain(token.split("\\.", -1));
      }

      readers.rights().revoke(reader.grant());

      await().atMost(Subscriber.LIMIT).until(() -> rows(grants, "grants").isEmpty());
      assertThat(his.end().summary()).contains("ACCESS_CHANGED");
      assertThat(rows("/debug/streams?state=ended&user=" + user, "streams"))
          .singleElement()
          .satisfies(row -> assertThat(row.get("reason").asText()).isEqualTo("ACCESS_CHANGED"));
    }
  }

  private static void assertIsAllowed(JsonNode grant, String namespace) {
    assertThat(grant.get("type").asText()).isEqualTo("configmaps");
    assertThat(grant.get("namespaces").get(0).asText()).isEqualTo(namespace);
    assertThat(grant.get("streams").asInt()).isEqualTo(1);
    assertThat(grant.get("answer").asText()).isEqualTo("allowed");
    assertThat(Instant.parse(grant.get("nextCheck").asText())).isAfter(Instant.now());
    // Tokens of these tests are valid for two hours.
    assertThat(Instant.parse(grant.get("expires").asText()))
        .isBetween(
            Instant.now().plus(Duration.ofMinutes(100)),
            Instant.now().plus(Duration.ofMinutes(121)));
  }

  @Test
  void watchOverTheKubernetesApi_isAmongTheEndedOnes() {
    String namespace = readers.namespace("ended");
    NamespaceReaders.Reader reader = readers.create(namespace);
    String user = reader.account().user();
    String others = readers.namespace("opening");
    // A watch is relayed, without a grant, unless its type is open; version 0 needs no proof.
    try (Subscriber opening = subscribe(readers.create(others), others);
        CountingWriter writer = CountingWriter.in(apiserver.cluster(), namespace);
        Cluster proxied = gateway.kubeApi(readers.accounts().directToken(reader.account()));
        RawWatch watch =
            RawWatch.open(
                proxied,
                "/api/v1/namespaces/" + namespace + "/configmaps?watch=1&resourceVersion=0",
                "application/json")) {
      assertThat(opening.isOver()).isFalse();
      watch.awaitLine(writer.key().substring(writer.key().indexOf('/') + 1));
      assertThat(rows("/debug/grants?user=" + user, "grants")).hasSize(1);
      assertThat(rows("/debug/streams?state=ended&user=" + user, "streams")).isEmpty();

      readers.rights().revoke(reader.grant());

      String ended = "/debug/streams?state=ended&user=" + user;
      await().atMost(Subscriber.LIMIT).until(() -> !rows(ended, "streams").isEmpty());
      assertThat(rows(ended, "streams"))
          .singleElement()
          .satisfies(
              row -> {
                assertThat(row.get("api").asText()).isEqualTo("kubernetes");
                assertThat(row.get("reason").asText()).isEqualTo("ACCESS_CHANGED");
                assertThat(row.get("type").asText()).isEqualTo("configmaps");
                assertThat(row.get("sentBytes").asLong()).isPositive();
              });
      assertThat(rows("/debug/grants?user=" + user, "grants")).isEmpty();
    }
  }

  /** The answer says whether an object exists, and which labels it has. */
  @Test
  void explanation_isForReadersThatMayListTheType() {
    String namespace = readers.namespace("explained");
    NamespaceReaders.Reader reader = readers.create(namespace);
    Accounts.Account operator = readers.accounts().create(readers.namespace("home"), "operator");
    readers.rights().everywhere(operator.subject(), Rule.pages("/debug/*"));
    String token = readers.accounts().gatewayToken(operator);
    String path = "/debug/explain?type=configmaps&object=" + namespace + "/any";
    try (Subscriber opened = subscribe(reader, namespace)) {
      assertThat(opened.isOver()).isFalse();
      await()
          .atMost(Subscriber.LIMIT)
          .until(() -> gateway.pageElsewhere("/debug/list", token).statusCode() == 200);

      for (String object : List.of(path, path + "-none")) {
        HttpResponse<String> refused = gateway.pageElsewhere(object, token);
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.body())
            .isEqualTo(
                "the user \"%s\" may not list configmaps in the namespace \"%s\": the apiserver does not allow it. The call needs the permission list, which an administrator can grant.\n"
                    .formatted(operator.user(), namespace));
      }
      // The right to create a port-forward to the pod is the right to all pages.
      assertThat(gateway.page(path).statusCode()).isEqualTo(200);

      readers.rights().in(namespace, operator.subject(), Rule.verbs("configmaps", "list"));

      await()
          .atMost(Subscriber.LIMIT)
          .until(() -> gateway.pageElsewhere(path, token).statusCode() == 200);
      assertThat(Json.parse(gateway.pageElsewhere(path, token).body()).has("held")).isTrue();
      assertThat(gateway.pageElsewhere(path.replace(namespace, "kube-system"), token).statusCode())
          .isEqualTo(403);
    }
  }
}
