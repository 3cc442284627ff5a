package io.watchgate.e2e.faults;

import static io.watchgate.e2e.faults.Requests.watch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.kube.WatchTimeouts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests with credentials of an exec plugin that expire in seconds, one of which is refused. */
@WithSharedApiserver
final class ExpiringCredentialsTest {
  private static final int TOKENS = 8;
  private static final int REFUSED = 3;
  private static final String NAMESPACE = "plugin";
  private static final Resource ACCOUNTS =
      new Resource("", "v1", "serviceaccounts", "ServiceAccount");
  private static final Resource TOKEN_REQUESTS =
      new Resource("", "v1", "serviceaccounts/gateway/token", "TokenRequest");
  private static final Resource SECRETS = new Resource("", "v1", "secrets", "Secret");
  private static final Resource BINDINGS =
      new Resource("rbac.authorization.k8s.io", "v1", "clusterrolebindings", "ClusterRoleBinding");

  /** Settings with short watches, so that each credential is soon used. */
  private static final GatewaySetup SETUP =
      new GatewaySetup(
          "",
          "",
          List.of(),
          GatewaySetup.QUICK.cache(),
          GatewaySetup.QUICK
              .kube()
              .with(
                  new WatchTimeouts(
                      Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofSeconds(30))),
          GatewaySetup.QUICK.fanout(),
          Optional.empty());

  @TempDir private Path folder;

  private static void account(Cluster cluster) {
    cluster.createNamespace(NAMESPACE);
    cluster.create(
        ACCOUNTS,
        Json.parse(
            """
            {"apiVersion":"v1","kind":"ServiceAccount",
             "metadata":{"namespace":"%s","name":"gateway"}}
            """
                .formatted(NAMESPACE)));
    cluster.create(
        BINDINGS,
        Json.parse(
            """
            {"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding",
             "metadata":{"name":"plugin"},
             "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole",
                        "name":"cluster-admin"},
             "subjects":[{"kind":"ServiceAccount","namespace":"%s","name":"gateway"}]}
            """
                .formatted(NAMESPACE)));
  }

  /** Returns a token that is valid while a secret of that name exists. */
  private static String token(Cluster cluster, String secret) {
    String uid =
        cluster
            .create(
                SECRETS,
                Json.parse(
                    """
                    {"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"%s","name":"%s"}}
                    """
                        .formatted(NAMESPACE, secret)))
            .at("/metadata/uid")
            .textValue();
    return cluster
        .create(
            TOKEN_REQUESTS,
            Json.parse(
                """
                {"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest",
                 "metadata":{"namespace":"%s"},
                 "spec":{"boundObjectRef":{"apiVersion":"v1","kind":"Secret","name":"%s","uid":"%s"}}}
                """
                    .formatted(NAMESPACE, secret, uid)))
        .at("/status/token")
        .textValue();
  }

  /** Writes a plugin that returns one token after the other, each valid for two seconds. */
  private Path plugin() throws IOException {
    return Files.writeString(
        folder.resolve("plugin.sh"),
        """
        cd "%s"
        echo run >> runs
        number=$(( ($(wc -l < runs) - 1) %% %d + 1 ))
        echo "token $number" >&2
        end=$(( $(date +%%s) + 2 ))
        expires=$(date -u -d @$end +%%FT%%TZ 2>/dev/null || date -u -r $end +%%FT%%TZ)
        printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",'
        printf '"status":{"token":"%%s","expirationTimestamp":"%%s"}}' \\
          "$(sed -n ${number}p tokens)" "$expires"
        """
            .formatted(folder.toString(), TOKENS));
  }

  private Path kubeconfig(Apiserver apiserver) throws IOException {
    return Files.writeString(
        folder.resolve("config"),
        Files.readString(apiserver.kubeconfig())
            .replaceFirst(
                "token: .*",
                "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never,"
                    + " command: sh, args: ["
                    + plugin()
                    + "]}"));
  }

  private int runs() throws IOException {
    return Files.readAllLines(folder.resolve("runs")).size();
  }

  @Test
  void expiringCredentials_missNoChange(Apiserver apiserver) throws Exception {
    Cluster cluster = apiserver.cluster();
    account(cluster);
    List<String> tokens = new ArrayList<>();
    for (int number = 1; number <= TOKENS; number++) {
      tokens.add(token(cluster, "token-" + number));
    }
    cluster.delete(SECRETS, NAMESPACE, "token-" + REFUSED);
    Files.write(folder.resolve("tokens"), tokens);
    ConfigMaps maps = ConfigMaps.in(cluster, "expiring");
    maps.create("a", 0);
    try (TestGateway gateway = TestGateway.start(kubeconfig(apiserver), SETUP);
        Subscriber subscriber =
            gateway.subscribe(watch("configmaps", maps.namespace()).build()).begun()) {
      AtomicInteger value = new AtomicInteger();
      await()
          .atMost(Subscriber.LIMIT.multipliedBy(2))
          .pollInterval(Duration.ofMillis(50))
          .until(
              () -> {
                maps.set("a", value.incrementAndGet());
                return runs() > REFUSED + 2;
              });
      maps.awaitEqual(subscriber);

      assertThat(subscriber.fold().values(maps.key("a")))
          .isEqualTo(IntStream.rangeClosed(1, value.get()).boxed().toList());
      assertThat(gateway.metric("watchgate_lists_total", "type=\"configmaps\"")).isEqualTo(1);
    }
  }
}
