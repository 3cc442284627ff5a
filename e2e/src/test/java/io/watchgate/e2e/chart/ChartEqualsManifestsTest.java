package io.watchgate.e2e.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.cli.deploy.Manifests;
import io.watchgate.cli.deploy.Manifests.Part;
import io.watchgate.cli.deploy.RbacResource;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Test that the chart renders the objects that {@code watchgate manifests} prints, field by field,
 * except the labels by which Helm marks its objects.
 */
@Requires(RequiredTool.GO)
final class ChartEqualsManifestsTest {
  private static final String DIGEST = "sha256:" + "0123456789abcdef".repeat(4);

  /** One installation, as parameters of the command and as values of the chart. */
  record Variant(Manifests.Wanted wanted, String values) {}

  private static Variant variant(
      String name,
      Manifests.Pods pods,
      List<String> types,
      Manifests.Scale scale,
      Manifests.Access access,
      Set<Part> parts,
      String values) {
    return new Variant(
        new Manifests.Wanted(
            name,
            "watching",
            pods,
            types.stream().map(RbacResource::parse).toList(),
            scale,
            access,
            parts),
        values);
  }

  static List<Variant> variants() {
    return List.of(
        variant(
            "watchgate",
            new Manifests.Pods("registry.example/watchgate:0.1.0", List.of(), ""),
            List.of("pods", "deployments.apps"),
            new Manifests.Scale(3, 12, "2Gi", "1", 0),
            new Manifests.Access("watchgate-tls", "", "monitoring", List.of()),
            Set.of(Part.AUTOSCALER),
            """
            image: {repository: registry.example/watchgate, tag: 0.1.0}
            types: [pods, deployments.apps]
            """),
        variant(
            "gate",
            new Manifests.Pods(
                "registry.example:5000/a/watchgate:v1_2@" + DIGEST,
                List.of("one", "two"),
                "important"),
            List.of(
                "replicasets",
                "secrets",
                "widgets.example.com",
                "deployments",
                "events.events.k8s.io",
                "events",
                "pods",
                "pods"),
            new Manifests.Scale(2, 7, "512Mi", "2500m", 8_000),
            new Manifests.Access("gate-tls", "ClusterIssuer/ca", "observed", List.of("a", "b")),
            EnumSet.complementOf(EnumSet.of(Part.NAMESPACE)),
            """
            fullnameOverride: gate
            image:
              repository: registry.example:5000/a/watchgate
              tag: v1_2
              digest: %s
              pullSecrets: [one, two]
            types: [replicasets, secrets, widgets.example.com, deployments, events.events.k8s.io, events, pods, pods]
            secrets: {allowed: true}
            replicas: 2
            autoscaling: {maxReplicas: 7, streamsPerReplica: 8000}
            resources: {cpu: 2500m, memory: 512Mi}
            tls: {mode: certManager, secretName: gate-tls, issuer: {kind: ClusterIssuer, name: ca}}
            kubeApi: {enabled: true, clusterCertificates: true}
            metrics: {auth: true}
            flowSchema: {enabled: true}
            networkPolicy: {clientNamespaces: [a, b], metricsNamespace: observed}
            priorityClassName: important
            """
                .formatted(DIGEST)),
        variant(
            "no",
            new Manifests.Pods("registry.example/watchgate:latest", List.of(), ""),
            List.of("nodes"),
            new Manifests.Scale(1, 4, "320Mi", "500m", 0),
            new Manifests.Access("", "", "monitoring", List.of()),
            Set.of(Part.KUBE_API),
            """
            fullnameOverride: "no"
            image: {repository: registry.example/watchgate, tag: latest}
            types: [nodes]
            replicas: 1
            autoscaling: {enabled: false}
            resources: {cpu: 500m, memory: 320Mi}
            tls: {mode: off, insecure: true}
            kubeApi: {enabled: true}
            """),
        variant(
            "watchgate",
            new Manifests.Pods("registry.example/watchgate@" + DIGEST, List.of(), ""),
            List.of("secrets"),
            new Manifests.Scale(100, 400, "100Gi", "8", 1_000_000),
            new Manifests.Access("tls", "ca", "monitoring", List.of()),
            Set.of(Part.AUTOSCALER, Part.METRICS_AUTH),
            """
            image: {repository: registry.example/watchgate, digest: "%s"}
            types: [secrets]
            secrets: {allowed: true}
            replicas: 100
            autoscaling: {streamsPerReplica: 1000000}
            resources: {cpu: 8, memory: 100Gi}
            tls: {mode: certManager, secretName: tls, issuer: {name: ca}}
            metrics: {auth: true}
            """
                .formatted(DIGEST)),
        variant(
            "watchgate",
            new Manifests.Pods("registry.example/watchgate:" + "a".repeat(64), List.of(), ""),
            List.of("ingresses"),
            new Manifests.Scale(3, 12, "3Gi", "1001m", 0),
            new Manifests.Access("", "", "monitoring", List.of("apps")),
            Set.of(Part.AUTOSCALER, Part.FLOW_SCHEMA),
            """
            image: {repository: registry.example/watchgate, tag: %s}
            types: [ingresses]
            resources: {cpu: 1001m, memory: 3Gi}
            tls: {mode: off, insecure: true}
            flowSchema: {enabled: true}
            networkPolicy: {clientNamespaces: [apps]}
            """
                .formatted("a".repeat(64))));
  }

  @TempDir private Path folder;

  @ParameterizedTest
  @MethodSource("variants")
  void chart_hasTheObjectsOfTheCommand(Variant variant) throws Exception {
    Path values = Files.writeString(folder.resolve("values.yaml"), variant.values());
    Map<String, JsonNode> rendered =
        byName(
            Helm.template("watchgate", "watching", "--skip-tests", "--values", values.toString()));
    Map<String, JsonNode> printed = byName(Helm.objects(new Manifests(variant.wanted()).yaml()));

    assertThat(rendered.keySet()).isEqualTo(printed.keySet());
    assertThat(rendered)
        .allSatisfy((name, object) -> assertThat(object).as(name).isEqualTo(printed.get(name)));
  }

  /** Returns the objects by type and name, without the labels of Helm. */
  private static Map<String, JsonNode> byName(List<JsonNode> objects) {
    Map<String, JsonNode> byName = new TreeMap<>();
    for (JsonNode object : objects) {
      ObjectNode labels = (ObjectNode) object.at("/metadata/labels");
      List<String> ofHelm =
          stream(labels.fieldNames())
              .filter(
                  label ->
                      label.startsWith("helm.sh/") || label.equals("app.kubernetes.io/managed-by"))
              .toList();
      labels.remove(ofHelm);
      String name =
          Stream.of("/apiVersion", "/kind", "/metadata/namespace", "/metadata/name")
              .map(path -> object.at(path).asText())
              .reduce("", (left, right) -> left + " " + right);
      assertThat(byName.put(name, object)).as(name).isNull();
    }
    return byName;
  }

  private static Stream<String> stream(Iterator<String> names) {
    return Stream.generate(() -> names).takeWhile(Iterator::hasNext).map(Iterator::next);
  }
}
