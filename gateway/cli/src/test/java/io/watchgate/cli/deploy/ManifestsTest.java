package io.watchgate.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchgate.cli.deploy.Manifests.Part;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Manifests by their parameters; a real apiserver accepts them in {@code e2e}. */
final class ManifestsTest {
  private static final Set<Part> USUAL = Set.of(Part.AUTOSCALER);
  private static final String INSTANCE =
      "app.kubernetes.io/instance: gate, app.kubernetes.io/part-of: watchgate";

  private static String yaml(String tlsSecret, String... types) {
    return yaml(new Manifests.Access(tlsSecret, "", "monitoring", List.of()), USUAL, types);
  }

  private static String yaml(Manifests.Access access, Set<Part> parts, String... types) {
    return yaml(
        new Manifests.Pods("registry.example/watchgate:1", List.of(), ""), access, parts, types);
  }

  private static String yaml(
      Manifests.Pods pods, Manifests.Access access, Set<Part> parts, String... types) {
    return new Manifests(
            new Manifests.Wanted(
                "gate",
                "watching",
                pods,
                List.of(types).stream().map(RbacResource::parse).toList(),
                new Manifests.Scale(3, 7, "2Gi", "500m", 8_000),
                access,
                parts))
        .yaml();
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> documents(String yaml) {
    List<Map<String, Object>> documents = new ArrayList<>();
    for (Object document : new Load(LoadSettings.builder().build()).loadAllFromString(yaml)) {
      documents.add((Map<String, Object>) document);
    }
    return documents;
  }

  private static Map<String, Object> document(String yaml, String kind) {
    return documents(yaml).stream()
        .filter(object -> kind.equals(object.get("kind")))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + kind));
  }

  @Test
  void rules_grantOnlyNamedTypes() {
    Map<String, Object> role =
        document(
            yaml("tls", "pods", "deployments.apps", "replicasets.apps", "pods"), "ClusterRole");

    assertThat(role.get("rules"))
        .isEqualTo(
            List.of(
                Map.of(
                    "apiGroups", List.of(""),
                    "resources", List.of("pods"),
                    "verbs", List.of("list", "watch")),
                Map.of(
                    "apiGroups", List.of("apps"),
                    "resources", List.of("deployments", "replicasets"),
                    "verbs", List.of("list", "watch")),
                Map.of(
                    "apiGroups", List.of("apiextensions.k8s.io"),
                    "resources", List.of("customresourcedefinitions"),
                    "verbs", List.of("get", "list")),
                Map.of(
                    "apiGroups", List.of(""),
                    "resources", List.of("namespaces"),
                    "resourceNames", List.of("kube-system"),
                    "verbs", List.of("get")),
                Map.of(
                    "apiGroups", List.of("authentication.k8s.io"),
                    "resources", List.of("tokenreviews"),
                    "verbs", List.of("create")),
                Map.of(
                    "apiGroups", List.of("authorization.k8s.io"),
                    "resources", List.of("subjectaccessreviews"),
                    "verbs", List.of("create")),
                Map.of(
                    "apiGroups", List.of("rbac.authorization.k8s.io"),
                    "resources",
                        List.of("roles", "rolebindings", "clusterroles", "clusterrolebindings"),
                    "verbs", List.of("list", "watch"))));
  }

  /** Names that YAML 1.1, which kubectl reads, or 1.2 would take for a number, a date or a word. */
  @ParameterizedTest
  @CsvSource({"2024, 01-01", "no, 1e3", "null, on", "0x1f, 12", "off, y"})
  void names_stayText(String namespace, String name) {
    String yaml =
        new Manifests(
                new Manifests.Wanted(
                    name,
                    namespace,
                    new Manifests.Pods("registry.example/watchgate:1", List.of(name), name),
                    List.of(RbacResource.parse("pods")),
                    new Manifests.Scale(3, 7, "2Gi", "500m", 0),
                    new Manifests.Access(name, name, namespace, List.of(namespace)),
                    EnumSet.allOf(Part.class)))
            .yaml();

    for (String line : yaml.lines().toList()) {
      for (String text : List.of(namespace, name, "2024-01-01")) {
        assertThat(line).doesNotContainPattern("[-:\\[,] " + text + "(?=$|[,}\\]])");
      }
    }
    assertThat(document(yaml, "Namespace").toString()).contains("name=" + namespace);
    assertThat(yaml)
        .contains("  name: \"" + name + "\"\n")
        .contains("  namespace: \"" + namespace + "\"\n")
        .contains("values: [\"" + namespace + "\"]")
        .contains("--balance=" + namespace + "/" + name + "\n");
  }

  @ParameterizedTest
  @CsvSource({"500m, 2", "1, 2", "2500m, 3", "8, 8"})
  void processors_followTheCpuRequest(String cpu, int processors) {
    Manifests manifests =
        new Manifests(
            new Manifests.Wanted(
                "gate",
                "watching",
                new Manifests.Pods("a:1", List.of(), ""),
                List.of(RbacResource.parse("pods")),
                new Manifests.Scale(3, 7, "2Gi", cpu, 0),
                new Manifests.Access("tls", "", "monitoring", List.of()),
                USUAL));
    assertThat(manifests.yaml())
        .contains("-XX:ActiveProcessorCount=" + processors + "\"", "cpu: \"" + cpu + "\"");
  }

  @ParameterizedTest
  @CsvSource({"320Mi, 42", "512Mi, 56", "1Gi, 68", "2Gi, 70", "100Gi, 70"})
  void heap_leavesRoomForWhatLiesOutside(String memory, int percent) {
    Manifests manifests =
        new Manifests(
            new Manifests.Wanted(
                "gate",
                "watching",
                new Manifests.Pods("a:1", List.of(), ""),
                List.of(RbacResource.parse("pods")),
                new Manifests.Scale(3, 7, memory, "1", 0),
                new Manifests.Access("tls", "", "monitoring", List.of()),
                USUAL));
    assertThat(manifests.yaml())
        .contains("-XX:MaxRAMPercentage=" + percent + " ", "memory: " + memory);
  }

  @Test
  void flowSchema_namesTheAccount() {
    String yaml =
        yaml(
            new Manifests.Access("tls", "", "monitoring", List.of()),
            EnumSet.of(Part.FLOW_SCHEMA),
            "pods");
    assertThat(yaml)
        .contains("serviceAccount: {namespace: watching, name: gate}")
        .contains("priorityLevelConfiguration: {name: watching-gate}");
    assertThat(yaml("tls", "pods")).doesNotContain("FlowSchema");
  }

  @Test
  void kubeCertificates_needTheReaderOfTheirAuthority() {
    String yaml =
        yaml(
            new Manifests.Access("tls", "", "monitoring", List.of()),
            EnumSet.of(Part.KUBE_API, Part.KUBE_CERTIFICATES),
            "pods");

    assertThat(yaml).contains("- --kube-client-ca=cluster\n");
    assertThat(documents(yaml))
        .anySatisfy(
            binding -> {
              assertThat(binding.get("kind")).isEqualTo("RoleBinding");
              assertThat(binding.get("roleRef"))
                  .isEqualTo(
                      Map.of(
                          "apiGroup", "rbac.authorization.k8s.io",
                          "kind", "Role",
                          "name", "extension-apiserver-authentication-reader"));
              assertThat(binding.get("metadata"))
                  .asInstanceOf(InstanceOfAssertFactories.MAP)
                  .containsEntry("namespace", "kube-system");
            });
  }

  @Test
  void insecure_needsNoReviews() {
    assertThat(yaml("", "pods"))
        .doesNotContain("tokenreviews", "subjectaccessreviews", "rolebindings,", "--token-review");
  }

  @Test
  void withoutSecret_argumentsHaveInsecure() {
    assertThat(yaml("", "pods")).contains("- --insecure").doesNotContain("/tls", "secretName");
    assertThat(yaml("tls", "pods"))
        .contains(
            "- --tls-cert=/tls/tls.crt",
            "secretName: tls, defaultMode: 288}}",
            "fsGroup: 65532",
            "- --token-review")
        .doesNotContain("--insecure");
  }

  @Test
  void insecure_commentSaysWhoCanRead() {
    assertThat(yaml("", "pods"))
        .contains(
            "- --insecure # every address that reaches the ports can read all types;"
                + " --client-namespace NAMESPACE admits");
    assertThat(yaml(new Manifests.Access("", "", "monitoring", List.of("a", "b")), USUAL, "pods"))
        .contains("- --insecure # every pod of a, b can read all types, if");
  }

  @Test
  void token_isMountedByThePodsAlone() {
    String yaml = yaml("tls", "pods");

    assertThat(document(yaml, "ServiceAccount"))
        .containsEntry("automountServiceAccountToken", false);
    assertThat(document(yaml, "Deployment").toString())
        .contains("automountServiceAccountToken=true");
  }

  @Test
  void streamsPerReplica_autoscalerUsesStreams() {
    assertThat(yaml("tls", "pods")).contains("averageValue: \"8000\"");
  }

  @Test
  void yaml_hasNoPlaceholders() {
    Manifests.Access issued = new Manifests.Access("tls", "ca", "monitoring", List.of());
    assertThat(yaml(issued, EnumSet.allOf(Part.class), "pods"))
        .doesNotContain("${")
        .doesNotContain("\n\n");
  }

  @Test
  void withoutAutoscaler_replicasAreFixed() {
    Manifests.Access access = new Manifests.Access("tls", "", "monitoring", List.of());

    assertThat(yaml(access, Set.of(), "pods"))
        .contains("\n  replicas: 3\n")
        .doesNotContain("HorizontalPodAutoscaler", "the autoscaler");
    assertThat(yaml("tls", "pods"))
        .doesNotContain("\n  replicas: ")
        .contains(
            "\nspec:\n  # No replicas: ",
            "\n  # kubectl -n watching apply edit-last-applied deployment/gate, ");
  }

  @ParameterizedTest
  @CsvSource({
    "registry.example/watchgate:1, \"1\"",
    "registry.example:5000/watchgate:0.1.0, \"0.1.0\"",
    "watchgate:v1.2_rc-3, v1.2_rc-3"
  })
  void version_isTheTagOfTheImage(String image, String version) {
    Manifests.Access access = new Manifests.Access("tls", "", "monitoring", List.of());
    String label = ", app.kubernetes.io/version: " + version + "}\n";

    assertThat(yaml(new Manifests.Pods(image, List.of(), ""), access, USUAL, "pods"))
        .containsOnlyOnce("\n  labels: {app.kubernetes.io/name: watchgate, " + INSTANCE + label)
        .containsOnlyOnce(
            "\n      labels: {app.kubernetes.io/name: watchgate, " + INSTANCE + label);
    String digest = "@sha256:" + "0".repeat(64);
    assertThat(yaml(new Manifests.Pods(image + digest, List.of(), ""), access, USUAL, "pods"))
        .contains(label);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "watchgate",
        "watchgate:latest",
        "registry.example:5000/watchgate",
        "watchgate:1.",
        "watchgate:_1",
        "watchgate@sha256:0123456789012345678901234567890123456789012345678901234567890123"
      })
  void version_withoutTagThatNamesOne_isLeftOut(String image) {
    Manifests.Access access = new Manifests.Access("tls", "", "monitoring", List.of());

    assertThat(yaml(new Manifests.Pods(image, List.of(), ""), access, USUAL, "pods"))
        .doesNotContain("app.kubernetes.io/version");
  }

  @Test
  void pods_areSpreadByVersion() {
    String deployment = document(yaml("tls", "pods"), "Deployment").toString();

    for (String topology : List.of("kubernetes.io/hostname", "topology.kubernetes.io/zone")) {
      assertThat(deployment)
          .contains(
              "topologyKey="
                  + topology
                  + ", whenUnsatisfiable=ScheduleAnyway, matchLabelKeys=[pod-template-hash]");
    }
  }

  @Test
  void probes_haveTheSameTimeout_andPodsNoServiceLinks() {
    assertThat(document(yaml("tls", "pods"), "Deployment").toString())
        .contains(
            "enableServiceLinks=false",
            "{path=/readyz, port=http}, periodSeconds=5, timeoutSeconds=5}",
            "{path=/livez, port=http}, periodSeconds=10, timeoutSeconds=5}");
  }

  @Test
  void disruptionBudget_letsUnhealthyPodsBeEvicted() {
    assertThat(document(yaml("tls", "pods"), "PodDisruptionBudget").toString())
        .contains("maxUnavailable=1, unhealthyPodEvictionPolicy=AlwaysAllow");
  }

  @Test
  void maxReplicas_isTheAutoscalersLimit() {
    assertThat(document(yaml("tls", "pods"), "HorizontalPodAutoscaler").toString())
        .contains("minReplicas=3, maxReplicas=7");
  }

  @Test
  void pods_nameTheirPullSecretsAndPriority() {
    Manifests.Access access = new Manifests.Access("tls", "", "monitoring", List.of());
    Manifests.Pods pods = new Manifests.Pods("image:1", List.of("one", "two"), "important");

    assertThat(document(yaml(pods, access, USUAL, "pods"), "Deployment").toString())
        .contains(
            "imagePullSecrets=[{name=one}, {name=two}], priorityClassName=important,"
                + " automountServiceAccountToken");
    assertThat(yaml("tls", "pods")).doesNotContain("imagePullSecrets", "priorityClassName");
  }

  @Test
  void issuer_makesTheCertificateOfBothServices() {
    Manifests.Access access =
        new Manifests.Access("tls", "ClusterIssuer/ca", "monitoring", List.of());
    String yaml = yaml(access, USUAL, "pods");

    assertThat(document(yaml, "Certificate").get("spec"))
        .asInstanceOf(InstanceOfAssertFactories.MAP)
        .containsEntry("secretName", "tls")
        .containsEntry(
            "issuerRef", Map.of("group", "cert-manager.io", "kind", "ClusterIssuer", "name", "ca"))
        .containsEntry(
            "dnsNames",
            List.of(
                "gate.watching.svc",
                "gate.watching.svc.cluster.local",
                "gate-replicas.watching.svc",
                "gate-replicas.watching.svc.cluster.local"));
    assertThat(yaml).doesNotContain("# Names of the certificate");
    assertThat(yaml("tls", "pods"))
        .contains("# Names of the certificate: gate.watching.svc, ")
        .doesNotContain("cert-manager");
  }

  @Test
  void issuer_withoutKind_isOfTheNamespace() {
    Manifests.Access access = new Manifests.Access("tls", "ca", "monitoring", List.of());

    assertThat(yaml(access, USUAL, "pods")).contains("kind: Issuer, name: ca");
  }

  @Test
  void readerRole_hasTheTypesAlone() {
    assertThat(documents(yaml("tls", "pods")))
        .filteredOn(it -> it.toString().contains("watching-gate-reader"))
        .singleElement()
        .extracting(it -> it.get("rules"))
        .isEqualTo(
            List.of(
                Map.of(
                    "apiGroups", List.of(""),
                    "resources", List.of("pods"),
                    "verbs", List.of("list", "watch"))));
    assertThat(yaml("", "pods")).doesNotContain("-reader");
  }

  @Test
  void readerRole_secretsHaveTheirOwn() {
    List<Map<String, Object>> roles =
        documents(yaml("tls", "pods", "secrets")).stream()
            .filter(it -> it.toString().contains("name=watching-gate-reader"))
            .toList();

    assertThat(roles).hasSize(2);
    assertThat(roles.getFirst().toString()).contains("[pods]").doesNotContain("secrets");
    assertThat(roles.getLast().toString())
        .contains("name=watching-gate-reader-secrets,", "[secrets]")
        .doesNotContain("pods");
    assertThat(documents(yaml("tls", "secrets")))
        .filteredOn(it -> it.toString().contains("name=watching-gate-reader"))
        .singleElement()
        .asString()
        .contains("-reader-secrets");
  }

  @Test
  void networkPolicy_metricsFromOneNamespace() {
    Manifests.Access access = new Manifests.Access("tls", "", "observed", List.of());

    assertThat(document(yaml(access, USUAL, "pods"), "NetworkPolicy").toString())
        .contains("ports=[{port=grpc}]}", "{kubernetes.io/metadata.name=observed}");
  }

  @Test
  void networkPolicy_clientsFromNamedNamespaces() {
    Manifests.Access access = new Manifests.Access("tls", "", "observed", List.of("a", "b"));

    assertThat(document(yaml(access, Set.of(Part.KUBE_API), "pods"), "NetworkPolicy").toString())
        .contains(
            "{ports=[{port=grpc}, {port=kube}], from=[{namespaceSelector={matchExpressions="
                + "[{key=kubernetes.io/metadata.name, operator=In, values=[a, b]}]}}]}");
  }

  @Test
  void metricsAuth_hasArgumentAndRole() {
    Manifests.Access access = new Manifests.Access("tls", "", "monitoring", List.of());

    assertThat(yaml(access, Set.of(Part.METRICS_AUTH), "pods"))
        .contains("- --metrics-auth", "watching-gate-metrics", "nonResourceURLs: [/metrics]")
        .doesNotContain("prometheus.io");
    assertThat(yaml("tls", "pods"))
        .contains("      annotations: {prometheus.io/scrape: \"true\", prometheus.io/port")
        .doesNotContain("metrics-auth", "nonResourceURLs: [/metrics]");
  }

  @Test
  void debugRole_isForThePagesThatAskForARight() {
    assertThat(documents(yaml("tls", "pods")))
        .filteredOn(it -> it.toString().contains("name=watching-gate-debug,"))
        .singleElement()
        .extracting(it -> it.get("rules"))
        .isEqualTo(
            List.of(
                Map.of(
                    "nonResourceURLs",
                    List.of("/", "/flagz", "/debug/*"),
                    "verbs",
                    List.of("get"))));
    assertThat(yaml("", "pods")).doesNotContain("-debug");
  }

  @Test
  void kubeApi_hasArgumentAndItsPortEverywhere() {
    Manifests.Access access = new Manifests.Access("tls", "", "monitoring", List.of());
    String yaml = yaml(access, Set.of(Part.KUBE_API), "pods");

    assertThat(document(yaml, "Deployment").toString())
        .contains("--kube-listen=0.0.0.0:6443", "{name=kube, containerPort=6443}");
    assertThat(documents(yaml))
        .filteredOn(it -> it.toString().contains("port=443, targetPort=kube, appProtocol=https"))
        .singleElement()
        .asString()
        .contains("kind=Service", "name=gate,");
    assertThat(document(yaml, "NetworkPolicy").toString())
        .contains("ports=[{port=grpc}, {port=kube}]}");
    assertThat(
            yaml(
                new Manifests.Access("", "", "monitoring", List.of()),
                Set.of(Part.KUBE_API),
                "pods"))
        .contains("targetPort: kube, appProtocol: http}");
    assertThat(yaml("tls", "pods")).doesNotContain("kube-listen", "name: kube,", "port: kube");
  }

  @Test
  void createdNamespace_isFirstAndRestricted() {
    Manifests.Access access = new Manifests.Access("tls", "", "monitoring", List.of());

    assertThat(documents(yaml(access, Set.of(Part.NAMESPACE), "pods")).getFirst())
        .hasToString(
            "{apiVersion=v1, kind=Namespace, metadata={name=watching,"
                + " labels={app.kubernetes.io/part-of=watchgate,"
                + " pod-security.kubernetes.io/enforce=restricted,"
                + " pod-security.kubernetes.io/warn=restricted}}}");
  }

  @Test
  void services_nameTheirProtocol() {
    assertThat(yaml("tls", "pods"))
        .contains("appProtocol: tls}")
        .doesNotContain("appProtocol: grpc");
    assertThat(yaml("", "pods")).contains("appProtocol: kubernetes.io/h2c}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Pods", "pods/status", "pods.", ".apps", "a b", "pods.apps/v1", "*"})
  void parse_invalidType_isRefused(String text) {
    assertThatThrownBy(() -> RbacResource.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("such as pods or deployments.apps");
  }

  @ParameterizedTest
  @ValueSource(strings = {"pods", "deployments.apps", "widgets.e2e.watchgate.io"})
  void parse_toString_roundTrip(String text) {
    assertThat(RbacResource.parse(text)).hasToString(text);
  }

  @ParameterizedTest
  @CsvSource({
    "deployments, deployments.apps",
    "ingresses, ingresses.networking.k8s.io",
    "leases, leases.coordination.k8s.io",
    "horizontalpodautoscalers, horizontalpodautoscalers.autoscaling",
    "events, events",
    "events.events.k8s.io, events.events.k8s.io",
    "nodes, nodes"
  })
  void parse_builtInTypeWithoutGroup_getsItsGroup(String text, String completed) {
    assertThat(RbacResource.parse(text)).hasToString(completed);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          podz | near: pods; a custom resource is written with its group: podz.example.com
          widgets | is not a built-in type; a custom resource is written with its group
          deployment | near: deployments.apps
          deploy | near: deployments.apps
          svc | near: services
          hpa | near: horizontalpodautoscalers.autoscaling
          deploymets | near: deployments.apps
          pods.apps | is not a type of the group apps; near: pods
          deployment.apps | near: deployments.apps
          cronjobs.apps | near: cronjobs.batch
          deployments.v1.apps | names a version, which rights do not have; write deployments.apps
          pods.v1 | write pods
          widgets.v1beta1.example.com | write widgets.example.com
          """)
  void parse_nameThatCannotBeRight_isRefusedWithWhatToWrite(String text, String message) {
    assertThatThrownBy(() -> RbacResource.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void rules_typeWithoutGroup_nameItsGroup() {
    assertThat(yaml("tls", "deployments"))
        .contains("apiGroups: [\"apps\"], resources: [deployments]", "--type=deployments.apps");
  }

  @Test
  void doubt_secretsAndUnknownTypesOfBuiltInGroups_only() {
    assertThat(RbacResource.parse("secrets").warning().orElseThrow()).contains("all Secrets");
    assertThat(RbacResource.parse("workloads.scheduling.k8s.io").warning().orElseThrow())
        .contains("no such type in the group scheduling.k8s.io");
    assertThat(RbacResource.parse("pods").warning()).isEmpty();
    assertThat(RbacResource.parse("secrets.example.com").warning()).isEmpty();
  }
}
