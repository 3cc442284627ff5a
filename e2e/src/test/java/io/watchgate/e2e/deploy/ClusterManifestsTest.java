package io.watchgate.e2e.deploy;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.balance.BalanceSettings;
import io.watchgate.cli.deploy.Manifests;
import io.watchgate.cli.deploy.RbacResource;
import io.watchgate.client.WatchClient;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.MetricsText;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that a real apiserver accepts every manifest, and that the granted rights are sufficient
 * and minimal.
 */
@WithSharedApiserver
final class ClusterManifestsTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private static final Map<String, String> PATHS =
      Map.ofEntries(
          entry("Namespace", "/api/v1/namespaces"),
          entry("NetworkPolicy", "/apis/networking.k8s.io/v1/namespaces/%s/networkpolicies"),
          entry("ServiceAccount", "/api/v1/namespaces/%s/serviceaccounts"),
          entry("Service", "/api/v1/namespaces/%s/services"),
          entry("ClusterRole", "/apis/rbac.authorization.k8s.io/v1/clusterroles"),
          entry("ClusterRoleBinding", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"),
          entry("Role", "/apis/rbac.authorization.k8s.io/v1/namespaces/%s/roles"),
          entry("RoleBinding", "/apis/rbac.authorization.k8s.io/v1/namespaces/%s/rolebindings"),
          entry("Deployment", "/apis/apps/v1/namespaces/%s/deployments"),
          entry("PodDisruptionBudget", "/apis/policy/v1/namespaces/%s/poddisruptionbudgets"),
          entry(
              "HorizontalPodAutoscaler",
              "/apis/autoscaling/v2/namespaces/%s/horizontalpodautoscalers"),
          entry(
              "PriorityLevelConfiguration",
              "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations"),
          entry("FlowSchema", "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"));

  private static List<String> documents(String namespace, String tlsSecret) {
    String yaml =
        new Manifests(
                new Manifests.Wanted(
                    namespace,
                    namespace,
                    new Manifests.Pods(
                        "registry.example/watchgate:1",
                        tlsSecret.isEmpty() ? List.of() : List.of("registry", "mirror"),
                        tlsSecret.isEmpty() ? "" : "system-cluster-critical"),
                    Stream.of("configmaps", "deployments.apps").map(RbacResource::parse).toList(),
                    new Manifests.Scale(3, 20, "2Gi", "1", tlsSecret.isEmpty() ? 0 : 8_000),
                    new Manifests.Access(
                        tlsSecret,
                        "",
                        "monitoring",
                        tlsSecret.isEmpty() ? List.of() : List.of("apps", "tools")),
                    tlsSecret.isEmpty()
                        ? Set.of()
                        : Set.of(
                            Manifests.Part.NAMESPACE,
                            Manifests.Part.AUTOSCALER,
                            Manifests.Part.METRICS_AUTH,
                            Manifests.Part.KUBE_API,
                            Manifests.Part.KUBE_CERTIFICATES,
                            Manifests.Part.FLOW_SCHEMA)))
            .yaml();
    return List.of(yaml.split("(?m)^---\\n"));
  }

  private static String kind(String document) {
    Matcher kind = Pattern.compile("(?m)^kind: (\\w+)$").matcher(document);
    assertThat(kind.find()).as(document).isTrue();
    return kind.group(1);
  }

  /** Creates the object as kubectl does, with unknown fields refused. */
  private static Cluster.Reply create(
      Cluster cluster, String namespace, String document, String query) {
    String path =
        Objects.requireNonNull(PATHS.get(kind(document)), document)
            .formatted(document.contains("namespace: kube-system") ? "kube-system" : namespace);
    return cluster.send(
        "POST",
        path + "?fieldValidation=Strict" + query,
        "application/json",
        "application/yaml",
        document);
  }

  @Test
  void manifests_areAcceptedByApiserver(Apiserver apiserver) {
    apiserver.cluster().createNamespace("dry");
    for (String secret : List.of("watchgate-tls", "")) {
      // The namespace is there already: another name is tried.
      List<String> documents =
          documents("dry", secret).stream()
              .map(it -> kind(it).equals("Namespace") ? it.replace("name: dry", "name: other") : it)
              .toList();
      assertThat(documents)
          .extracting(ClusterManifestsTest::kind)
          .containsExactlyElementsOf(
              secret.isEmpty()
                  ? List.of(
                      "ServiceAccount",
                      "ClusterRole",
                      "ClusterRoleBinding",
                      "Role",
                      "RoleBinding",
                      "Deployment",
                      "Service",
                      "Service",
                      "NetworkPolicy",
                      "PodDisruptionBudget")
                  : List.of(
                      "Namespace",
                      "ServiceAccount",
                      "ClusterRole",
                      "ClusterRoleBinding",
                      "Role",
                      "RoleBinding",
                      "ClusterRole",
                      "ClusterRole",
                      "ClusterRole",
                      "RoleBinding",
                      "PriorityLevelConfiguration",
                      "FlowSchema",
                      "Deployment",
                      "Service",
                      "Service",
                      "NetworkPolicy",
                      "PodDisruptionBudget",
                      "HorizontalPodAutoscaler"));
      assertThat(documents)
          .allSatisfy(
              document -> {
                Cluster.Reply reply = create(apiserver.cluster(), "dry", document, "&dryRun=All");
                assertThat(reply.code()).as(reply.body()).isEqualTo(201);
              });
    }
  }

  @TempDir private Path folder;

  /** Returns a token like that of a pod with the account of the manifests. */
  private static String tokenOf(Apiserver apiserver, String account) {
    Cluster.Reply reply =
        apiserver
            .cluster()
            .send(
                "POST",
                "/api/v1/namespaces/%s/serviceaccounts/%s/token".formatted(account, account),
                "application/json",
                "application/json",
                "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenRequest\"}");
    assertThat(reply.code()).isEqualTo(201);
    return Json.parse(reply.body()).at("/status/token").textValue();
  }

  private Path kubeconfigOf(Apiserver apiserver, String account) throws IOException {
    String text =
        Files.readString(apiserver.kubeconfig())
            .replaceFirst("token: \\S+", "token: " + tokenOf(apiserver, account))
            .replaceAll(
                "certificate-authority: (?!/)",
                "certificate-authority: " + apiserver.kubeconfig().getParent() + "/");
    return Files.writeString(folder.resolve("kubeconfig"), text);
  }

  private static ListObjectsRequest all(String resource) {
    return ListObjectsRequest.newBuilder()
        .setSelection(
            Selection.newBuilder().setResourceType(ResourceType.newBuilder().setResource(resource)))
        .build();
  }

  /** Returns the number of replicas that have published their state and read that of the others. */
  private static double replicas(GatewayUnderTest gateway) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + gateway.httpPort() + "/metrics");
    try (HttpClient http = HttpClient.newHttpClient()) {
      String page =
          http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
              .body();
      return new MetricsText(page).sum("watchgate_replicas");
    }
  }

  @Test
  void rights_coverExactlyTheTypes(Apiserver apiserver) throws Exception {
    String name = "granted";
    apiserver.cluster().createNamespace(name);
    for (String document : documents(name, "").subList(0, 5)) {
      assertThat(create(apiserver.cluster(), name, document, "").code()).isEqualTo(201);
    }
    GatewaySetup setup =
        GatewaySetup.QUICK
            .opening("configmaps", "deployments")
            .balancing(
                new BalanceSettings(
                    name,
                    name,
                    new BalanceSettings.Pace(Duration.ofSeconds(1), Duration.ofSeconds(20))));
    try (GatewayUnderTest gateway = GatewayUnderTest.start(kubeconfigOf(apiserver, name), setup);
        GatewayUnderTest other = GatewayUnderTest.start(kubeconfigOf(apiserver, name), setup);
        WatchClient client = WatchClient.to("127.0.0.1", gateway.port()).build()) {
      await()
          .atMost(LIMIT)
          .ignoreExceptions()
          .until(
              () ->
                  client.listObjects(all("configmaps"), LIMIT).getTotalObjects() >= 0
                      && client.listObjects(all("deployments"), LIMIT).getTotalObjects() >= 0);
      await()
          .atMost(LIMIT)
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> client.listObjects(all("pods"), LIMIT))
                      .hasMessageContaining("forbidden"));
      await().atMost(LIMIT).until(() -> replicas(gateway) == 2 && replicas(other) == 2);
    }
  }

  @Test
  void flowSchema_hasTheRequestsOfTheAccount(Apiserver apiserver) {
    String name = "flowing";
    apiserver.cluster().createNamespace(name);
    String schema = "";
    for (String document : documents(name, "watchgate-tls")) {
      if (Set.of("ServiceAccount", "PriorityLevelConfiguration", "FlowSchema")
          .contains(kind(document))) {
        Cluster.Reply reply = create(apiserver.cluster(), name, document, "");
        assertThat(reply.code()).as(reply.body()).isEqualTo(201);
        schema = Json.parse(reply.body()).at("/metadata/uid").textValue();
      }
    }
    String uid = schema;
    try (Cluster account = apiserver.clusterWith(tokenOf(apiserver, name))) {
      await()
          .atMost(LIMIT)
          .untilAsserted(
              () ->
                  assertThat(
                          account
                              .send("GET", "/version", "application/json", "", "")
                              .header("X-Kubernetes-PF-FlowSchema-UID"))
                      .isEqualTo(uid));
    }
  }

  @Test
  void builtInTypeNames_equalApiserver(Apiserver apiserver) {
    List<String> paths = new ArrayList<>(List.of("/api/v1"));
    for (JsonNode group : apiserver.cluster().read("/apis").get("groups")) {
      paths.add("/apis/" + group.at("/preferredVersion/groupVersion").textValue());
    }
    int types = 0;
    for (String path : paths) {
      String group = path.equals("/api/v1") ? "" : path.split("/", -1)[2];
      if (group.endsWith("watchgate.io")) {
        continue; // created by another test
      }
      for (JsonNode resource : apiserver.cluster().read(path).get("resources")) {
        if (resource.get("verbs").toString().contains("\"watch\"")) {
          String plural = resource.get("name").textValue();
          RbacResource type = new RbacResource(group, plural);
          assertThat(RbacResource.parse(type.toString())).isEqualTo(type);
          assertThat(type.warning().isEmpty() || plural.equals("secrets")).as("%s", type).isTrue();
          assertThat(RbacResource.parse(plural).group())
              .isEqualTo(plural.equals("events") ? "" : group);
          types++;
        }
      }
    }
    assertThat(types).isGreaterThan(50);
  }
}
