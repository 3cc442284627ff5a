package io.watchgate.e2e.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.KubernetesProgram;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.program.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Test of the chart with a real apiserver, which also knows the custom resources of cert-manager
 * and of the Prometheus Operator, by their own definitions.
 */
@WithApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ChartInClusterTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private static final Resource ACCOUNTS =
      new Resource("", "v1", "serviceaccounts", "ServiceAccount");
  private static final Resource REVIEWS =
      new Resource("authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview");

  private Apiserver apiserver;

  @BeforeAll
  void installDefinitions(@OwnApiserver Apiserver own) throws Exception {
    apiserver = own;
    for (String definition : CustomResources.definitions()) {
      apiserver.cluster().create(Resource.DEFINITIONS, Helm.objects(definition).getFirst());
    }
    for (String group : List.of("cert-manager.io/v1", "monitoring.coreos.com/v1")) {
      await()
          .atMost(LIMIT)
          .ignoreExceptions()
          .until(() -> !apiserver.cluster().read("/apis/" + group).get("resources").isEmpty());
    }
  }

  /** Creates a namespace that admits restricted pods only, and the account that every one has. */
  private void createNamespace(String name) {
    apiserver
        .cluster()
        .create(
            Resource.NAMESPACES,
            Json.parse(
                """
                {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"%s",
                 "labels":{"pod-security.kubernetes.io/enforce":"restricted"}}}
                """
                    .formatted(name)));
    apiserver
        .cluster()
        .create(
            ACCOUNTS,
            Json.parse(
                """
                {"apiVersion":"v1","kind":"ServiceAccount",
                 "metadata":{"namespace":"%s","name":"default"}}
                """
                    .formatted(name)));
  }

  private String helm(String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--kubeconfig", apiserver.kubeconfig().toString()));
    return Helm.output(all.toArray(String[]::new));
  }

  private String install(String namespace, String... options) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of("install", "gate", Helm.CHART.toString(), "--namespace", namespace));
    all.addAll(List.of("--set", "fullnameOverride=gate"));
    all.addAll(List.of(options));
    return helm(all.toArray(String[]::new));
  }

  /** Creates an object in a dry run in which unknown and repeated fields are errors. */
  private Cluster.Reply tryToCreate(JsonNode object) {
    String version = object.get("apiVersion").textValue();
    String root = version.equals("v1") ? "/api/v1" : "/apis/" + version;
    for (JsonNode type : apiserver.cluster().read(root).get("resources")) {
      String plural = type.get("name").textValue();
      if (type.get("kind").equals(object.get("kind")) && !plural.contains("/")) {
        String namespace =
            type.get("namespaced").booleanValue()
                ? "/namespaces/" + object.at("/metadata/namespace").textValue()
                : "";
        return apiserver
            .cluster()
            .send(
                "POST",
                root + namespace + "/" + plural + "?dryRun=All&fieldValidation=Strict",
                "application/json",
                "application/json",
                object.toString());
      }
    }
    throw new AssertionError("no type for " + object);
  }

  static List<String> ciValues() throws Exception {
    return ChartTest.ciValues();
  }

  @ParameterizedTest
  @MethodSource("ciValues")
  void objectsAndPods_areAccepted(String values) throws Exception {
    createNamespace(values);
    List<JsonNode> objects =
        Helm.template(
            "gate", values, "--set", "fullnameOverride=gate", "--values", Helm.ci(values));

    assertThat(objects)
        .allSatisfy(
            object -> {
              Cluster.Reply reply = tryToCreate(object);
              assertThat(reply.code()).as(object + reply.body()).isEqualTo(201);
            });

    install(values, "--values", Helm.ci(values)); // the pods need their account
    Cluster.Reply reply = tryToCreate(pod(objects));
    assertThat(reply.code()).as(reply.body()).isEqualTo(201);
    helm("uninstall", "gate", "--namespace", values);
  }

  /** Returns the pod that the Deployment would make. */
  private static ObjectNode pod(List<JsonNode> objects) {
    JsonNode deployment =
        objects.stream()
            .filter(object -> object.get("kind").textValue().equals("Deployment"))
            .findFirst()
            .orElseThrow();
    ObjectNode pod = deployment.at("/spec/template").deepCopy();
    pod.put("apiVersion", "v1").put("kind", "Pod");
    ((ObjectNode) pod.get("metadata"))
        .put("name", "gate-1")
        .set("namespace", deployment.at("/metadata/namespace"));
    return pod;
  }

  @Test
  void wrongObjects_areRefused() throws Exception {
    createNamespace("wrong");
    List<JsonNode> objects = Helm.template("gate", "wrong", "--values", Helm.ci("everything"));
    for (JsonNode object : objects) {
      ((ObjectNode) object).put("unknown", 1);
      assertThat(tryToCreate(object).code()).as("%s", object).isEqualTo(400);
    }

    ObjectNode pod = pod(Helm.template("gate", "wrong", "--values", Helm.ci("minimal")));
    ((ObjectNode) pod.get("spec")).put("serviceAccountName", "default").remove("securityContext");
    assertThat(tryToCreate(pod).body()).contains("violates PodSecurity \\\"restricted:latest\\\"");
  }

  private boolean mayList(String namespace, String type) {
    JsonNode review =
        Json.parse(
            """
            {"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview",
             "spec":{"user":"system:serviceaccount:%s:gate",
                     "resourceAttributes":{"verb":"list","resource":"%s"}}}
            """
                .formatted(namespace, type));
    return apiserver.cluster().create(REVIEWS, review).at("/status/allowed").booleanValue();
  }

  private void awaitRights(String namespace, String granted, String denied) {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> {
              assertThat(mayList(namespace, granted)).as(granted).isTrue();
              assertThat(mayList(namespace, denied)).as(denied).isFalse();
            });
  }

  /** Returns the names of all objects, except those that the apiserver writes by itself. */
  private Set<String> allObjects() {
    List<String> roots = new ArrayList<>(List.of("/api/v1"));
    for (JsonNode group : apiserver.cluster().read("/apis").get("groups")) {
      roots.add("/apis/" + group.at("/preferredVersion/groupVersion").textValue());
    }
    Set<String> names = new TreeSet<>();
    for (String root : roots) {
      for (JsonNode type : apiserver.cluster().read(root).get("resources")) {
        String plural = type.get("name").textValue();
        if (type.get("verbs").toString().contains("\"list\"")
            && !Set.of("events", "leases", "componentstatuses").contains(plural)) {
          for (JsonNode object : apiserver.cluster().read(root + "/" + plural).get("items")) {
            names.add(
                plural
                    + " "
                    + object.at("/metadata/namespace").asText()
                    + "/"
                    + object.at("/metadata/name").textValue());
          }
        }
      }
    }
    return names;
  }

  @Test
  void release_changesRights_andLeavesNothing() throws Exception {
    String namespace = "released";
    createNamespace(namespace);
    Set<String> before = allObjects();

    String notes =
        install(
            namespace, "--values", Helm.ci("everything"), "--set", "types={configmaps,secrets}");
    assertThat(notes).contains("helm -n released test gate");
    awaitRights(namespace, "configmaps", "pods");
    Set<String> installed = allObjects();
    assertThat(installed)
        .contains(
            "deployments released/gate",
            "podmonitors released/gate",
            "prometheusrules released/gate",
            "certificates released/gate",
            "rolebindings kube-system/released-gate",
            "flowschemas /released-gate");

    String[] others = {"--set", "fullnameOverride=gate", "--set", "types={pods}"};
    helm(
        Stream.concat(
                Stream.of("upgrade", "gate", Helm.CHART.toString(), "--namespace", namespace),
                Stream.concat(Stream.of("--values", Helm.ci("minimal")), Stream.of(others)))
            .toArray(String[]::new));
    awaitRights(namespace, "pods", "configmaps");
    assertThat(allObjects()).doesNotContain("flowschemas /released-gate");

    helm("rollback", "gate", "1", "--namespace", namespace);
    awaitRights(namespace, "configmaps", "pods");
    assertThat(allObjects()).containsAll(installed);

    helm("uninstall", "gate", "--namespace", namespace);
    await().atMost(LIMIT).untilAsserted(() -> assertThat(allObjects()).isEqualTo(before));
  }

  @Test
  void renderedObjects_areTakenByKubectl(@TempDir Path folder) throws Exception {
    createNamespace("piped");
    String kubectl = KubernetesProgram.KUBECTL.path().toString();
    Path script =
        Files.writeString(
            folder.resolve("script"),
            "%s template gate %s -n piped -f %s 2>err | %s --kubeconfig %s apply --dry-run=server -f -\n"
                .formatted(
                    Helm.path(),
                    Helm.CHART,
                    Helm.ci("everything"),
                    kubectl,
                    apiserver.kubeconfig()));

    assertThat(Program.of("sh", script.toString()).in(folder).run().lines())
        .hasSize(Helm.template("gate", "piped", "--values", Helm.ci("everything")).size())
        .allMatch(line -> line.endsWith(" (server dry run)"))
        .contains("deployment.apps/gate created (server dry run)");
  }

  private Path token(Path folder, String namespace, String account, String audiences)
      throws Exception {
    Cluster.Reply reply =
        apiserver
            .cluster()
            .send(
                "POST",
                "/api/v1/namespaces/%s/serviceaccounts/%s/token".formatted(namespace, account),
                "application/json",
                "application/json",
                """
                {"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest",
                 "spec":{"audiences":[%s]}}
                """
                    .formatted(audiences));
    assertThat(reply.code()).as(reply.body()).isEqualTo(201);
    return Files.writeString(
        folder.resolve(account + ".token"),
        Json.parse(reply.body()).at("/status/token").textValue());
  }

  private static List<String> arguments(JsonNode container) {
    List<String> arguments = new ArrayList<>();
    container.get("args").forEach(argument -> arguments.add(argument.textValue()));
    return arguments;
  }

  /** The commands of the Deployment and of the chart's test, with addresses of this machine. */
  @Test
  void testOfTheChart_asksTheGatewayOfTheChart(@TempDir Path folder) throws Exception {
    String namespace = "tested";
    createNamespace(namespace);
    String[] values = {
      "--set",
      "fullnameOverride=gate",
      "--set",
      "types={configmaps,deployments}",
      "--set",
      "image.repository=registry.example/watchgate"
    };
    install(namespace, values);
    List<JsonNode> objects = Helm.template("gate", namespace, values);
    HeldCertificate certificate =
        new HeldCertificate.Builder().addSubjectAlternativeName("gate.tested.svc").build();
    Files.writeString(folder.resolve("tls.crt"), certificate.certificatePem());
    Files.writeString(folder.resolve("tls.key"), certificate.privateKeyPkcs8Pem());
    String kubeconfig =
        Files.readString(apiserver.kubeconfig())
            .replaceFirst(
                "token: \\S+", "token: " + Files.readString(token(folder, namespace, "gate", "")))
            .replaceAll(
                "certificate-authority: (?!/)",
                "certificate-authority: " + apiserver.kubeconfig().getParent() + "/");
    Path own = Files.writeString(folder.resolve("kubeconfig"), kubeconfig);

    Stream<String> serve =
        arguments(pod(objects).at("/spec/containers/0")).stream()
            .map(argument -> argument.replaceFirst("0\\.0\\.0\\.0:\\d+", "127.0.0.1:0"))
            .map(argument -> argument.replace("=/tls/", "=" + folder + "/"));
    try (Command gateway =
        Command.start(
            Stream.concat(serve, Stream.of("--kubeconfig", own.toString()))
                .toArray(String[]::new))) {
      int port = gateway.awaitServing().grpc();
      JsonNode test =
          objects.stream()
              .filter(object -> object.get("kind").textValue().equals("Pod"))
              .findFirst()
              .orElseThrow();
      Path token = token(folder, namespace, "default", "\"watchgate\"");
      Stream<String> types =
          arguments(test.at("/spec/containers/0")).stream()
              .map(argument -> argument.replace("=gate.tested.svc:7443", "=127.0.0.1:" + port))
              .map(argument -> argument.replace("=/tls/", "=" + folder + "/"))
              .map(argument -> argument.replace("=/token/token", "=" + token));
      try (Command command =
          Command.start(
              Stream.concat(types, Stream.of("--tls-server-name", "gate.tested.svc"))
                  .toArray(String[]::new))) {
        assertThat(command.awaitEnd()).as("%s", command.err()).isZero();
        assertThat(command.out()).anyMatch(line -> line.contains("configmaps"));
      }
    }
  }
}
