package io.watchgate.e2e.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Test of the chart without a cluster: what it renders, and which values it refuses. */
@Requires(RequiredTool.GO)
final class ChartTest {
  static List<String> ciValues() throws IOException {
    try (Stream<Path> files = Files.list(Helm.CHART.resolve("ci"))) {
      return files
          .map(file -> file.getFileName().toString().replaceFirst("\\.yaml$", ""))
          .sorted()
          .toList();
    }
  }

  private static List<String> names(List<JsonNode> objects) {
    return objects.stream()
        .map(
            object ->
                object.get("kind").textValue() + " " + object.at("/metadata/name").textValue())
        .toList();
  }

  @ParameterizedTest
  @MethodSource("ciValues")
  void ciValues_passLint(String name) throws Exception {
    assertThat(Helm.output("lint", "--strict", Helm.CHART.toString(), "--values", Helm.ci(name)))
        .contains("1 chart(s) linted, 0 chart(s) failed")
        .doesNotContain("[WARNING]", "[ERROR]");
  }

  @Test
  void minimalValues_nameTheRelease() throws Exception {
    assertThat(names(Helm.template("one", "watching", "--values", Helm.ci("minimal"))))
        .containsExactlyInAnyOrder(
            "ServiceAccount one-watchgate",
            "ClusterRole watching-one-watchgate",
            "ClusterRole watching-one-watchgate-reader",
            "ClusterRole watching-one-watchgate-debug",
            "ClusterRoleBinding watching-one-watchgate",
            "Role one-watchgate",
            "RoleBinding one-watchgate",
            "Service one-watchgate-replicas",
            "Service one-watchgate",
            "Deployment one-watchgate",
            "NetworkPolicy one-watchgate",
            "PodDisruptionBudget one-watchgate",
            "HorizontalPodAutoscaler one-watchgate",
            "Pod one-watchgate-test");
  }

  @Test
  void bareValues_leaveOutWhatCanBeLeftOut() throws Exception {
    assertThat(
            names(
                Helm.template(
                    "watchgate", "watching", "--values", Helm.ci("bare"), "--skip-tests")))
        .containsExactlyInAnyOrder(
            "ServiceAccount watchgate",
            "ClusterRole watching-watchgate",
            "ClusterRole watching-watchgate-reader",
            "ClusterRole watching-watchgate-debug",
            "ClusterRoleBinding watching-watchgate",
            "Role watchgate",
            "RoleBinding watchgate",
            "Service watchgate-replicas",
            "Service watchgate",
            "Deployment watchgate");
  }

  private static JsonNode everything(String kind) throws Exception {
    return Helm.template("gate", "watching", "--values", Helm.ci("everything")).stream()
        .filter(object -> object.get("kind").textValue().equals(kind))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void additions_areInThePods() throws Exception {
    JsonNode template = everything("Deployment").at("/spec/template");

    assertThat(template.at("/metadata/labels/team").textValue()).isEqualTo("platform");
    assertThat(template.at("/metadata/annotations"))
        .hasToString("{\"example.com/owner\":\"platform\"}");
    JsonNode pod = template.get("spec");
    assertThat(pod.get("nodeSelector")).hasToString("{\"kubernetes.io/arch\":\"amd64\"}");
    assertThat(pod.at("/tolerations/0/key").textValue()).isEqualTo("dedicated");
    assertThat(pod.at("/affinity/podAntiAffinity")).isNotEmpty();
    assertThat(pod.get("topologySpreadConstraints")).hasSize(1);
    assertThat(pod.at("/topologySpreadConstraints/0/topologyKey").textValue()).isEqualTo("rack");
    assertThat(pod.at("/topologySpreadConstraints/0/labelSelector/matchLabels").toString())
        .contains("\"app.kubernetes.io/instance\":\"gate\"");
    assertThat(pod.get("terminationGracePeriodSeconds").intValue()).isEqualTo(90);
    JsonNode container = pod.at("/containers/0");
    assertThat(container.get("args").toString())
        .contains("\"--drain=60\"")
        .endsWith("\"--log-format=json\",\"--audit-log=/audit/log\"]");
    assertThat(container.at("/env/1"))
        .hasToString("{\"name\":\"JAVA_TOOL_OPTIONS\",\"value\":\"-Xlog:gc\"}");
    assertThat(container.get("volumeMounts").toString()).contains("\"/audit\"");
    assertThat(pod.get("volumes").toString()).contains("\"audit\"");
  }

  @Test
  void extraObjects_areTemplates() throws Exception {
    assertThat(everything("ConfigMap").at("/metadata/namespace").textValue()).isEqualTo("watching");
  }

  @Test
  void podMonitor_sendsTheToken_andNamesTheJobOfTheRules() throws Exception {
    JsonNode monitor = everything("PodMonitor");

    assertThat(monitor.at("/spec/jobLabel").textValue()).isEqualTo("app.kubernetes.io/name");
    assertThat(monitor.at("/spec/podMetricsEndpoints/0/authorization/credentials"))
        .hasToString("{\"name\":\"scrape\",\"key\":\"token\"}");
    assertThat(monitor.at("/metadata/labels/release").textValue()).isEqualTo("prometheus");
  }

  @Test
  void labelOfTheOperator_replacesThatOfTheChart() throws Exception {
    String label = "app\\.kubernetes\\.io/part-of=monitoring";
    List<JsonNode> objects =
        Helm.template(
            "gate",
            "watching",
            "--values",
            Helm.ci("everything"),
            "--set",
            "podMonitor.labels." + label + ",prometheusRule.labels." + label);

    assertThat(objects)
        .filteredOn(object -> object.at("/apiVersion").textValue().startsWith("monitoring"))
        .hasSize(2)
        .allSatisfy(
            object -> {
              JsonNode labels = object.at("/metadata/labels");
              assertThat(labels.get("app.kubernetes.io/part-of").textValue())
                  .isEqualTo("monitoring");
              assertThat(labels.get("app.kubernetes.io/name").textValue()).isEqualTo("watchgate");
            });
  }

  @Test
  void prometheusRule_hasTheProjectsRules() throws Exception {
    Path monitoring = Repository.root().resolve("gateway/deploy/monitoring");
    List<JsonNode> groups = new ArrayList<>();
    for (String file : List.of("rules.yaml", "alerts.yaml")) {
      String text =
          Files.readString(monitoring.resolve(file))
              .replace("docs/runbooks", "https://runbooks.example/watchgate");
      Helm.objects(text).getFirst().get("groups").forEach(groups::add);
    }

    assertThat(everything("PrometheusRule").at("/spec/groups"))
        .containsExactlyElementsOf(groups)
        .anySatisfy(
            group ->
                assertThat(group.toString())
                    .contains("{{ $labels.instance }}", "https://runbooks.example/watchgate/W"));
  }

  /** A package has the rules themselves instead of the links to them. */
  @Test
  void package_rendersAsTheFolderDoes(@TempDir Path folder) throws Exception {
    Helm.output("package", Helm.CHART.toString(), "--destination", folder.toString());
    try (Stream<Path> files = Files.list(folder)) {
      Path made = files.findFirst().orElseThrow();
      String[] options = {"--namespace", "watching", "--values", Helm.ci("everything")};
      Helm.Reply reply =
          Helm.run(
              Stream.concat(Stream.of("template", "gate", made.toString()), Stream.of(options))
                  .toArray(String[]::new));

      assertThat(reply.err()).isEmpty();
      assertThat(Helm.objects(reply.out()))
          .isEqualTo(Helm.template("gate", "watching", "--values", Helm.ci("everything")));
    }
  }

  @Test
  void notes_sayWhatToDoNext() throws Exception {
    assertThat(notes("minimal"))
        .contains(
            "The pods start once the secret watchgate-tls exists",
            "\n  - watchgate-replicas.watching.svc.cluster.local\n",
            "helm -n watching test watchgate",
            "-o 'go-template={{index .data \"tls.crt\" | base64decode}}'",
            "watchgate watch pods -n watching --tls-ca gateway.crt"
                + " --tls-server-name watchgate.watching.svc",
            "--clusterrole watching-watchgate-reader --serviceaccount watching:default")
        .doesNotContain("WARNING");
    assertThat(notes("insecure"))
        .contains(
            "\n  watchgate watch configmaps\n",
            "WARNING: the gateway authenticates no client: every pod of apps can read all types",
            "WARNING: with one replica")
        .doesNotContain("token", "secret");
  }

  private static String notes(String values) throws Exception {
    String output =
        Helm.output(
            "install",
            "watchgate",
            Helm.CHART.toString(),
            "--namespace",
            "watching",
            "--dry-run=client",
            "--values",
            Helm.ci(values));
    return output.substring(output.indexOf("\nNOTES:\n"));
  }

  private static Helm.Reply refused(String options) throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of("template", "gate", Helm.CHART.toString(), "--values", Helm.ci("minimal")));
    arguments.addAll(List.of(options.split(" ", -1)));
    Helm.Reply reply = Helm.run(arguments.toArray(String[]::new));
    assertThat(reply.code()).as(reply.out()).isNotZero();
    assertThat(reply.out()).isEmpty();
    return reply;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          --set fullnameOverride=2gate | The name of the objects, 2gate, is not a name of at most 50 lower-case letters
          --set fullnameOverride=a-name-of-objects-that-is-longer-than-fifty-characters | Set fullnameOverride.
          --namespace kube-system | those of the cluster's own components are in kube-system. Install into another namespace.
          --set image.repository= | image.repository is empty, and no image is published.
          --set image.repository=registry.example:5000/gate:1 | image.repository has a tag or a digest: registry.example:5000/gate:1.
          --set image.repository=registry.example/gate@sha256 | Write them in image.tag and image.digest.
          --set image.repository=/gate | image.repository is not the name of an image: /gate.
          --set image.tag=a/b | image.tag is not the tag of an image: a/b.
          --set image.digest=sha256:12 | image.digest is not sha256: and 64 hexadecimal digits: sha256:12.
          --set image.pullSecrets={A} | image.pullSecrets has "A", which is not the name of a secret.
          --set-json types=[] | types is empty. Name the types to serve
          --set types={pods/status} | types has "pods/status", which is not a plural name with its group, such as pods or deployments.apps.
          --set types={*} | types has "*", which is not a plural name with its group
          --set types={deployment} | types has "deployment", which is not the plural of a built-in type. Write deployments.apps.
          --set types={podz} | types has "podz", which is not a built-in type. Write a custom resource with its group: podz.example.com.
          --set types={deployments.v1.apps} | types has "deployments.v1.apps", which names a version; rights have none. Write deployments.apps.
          --set types={pods.apps} | types has "pods.apps", which is not a type of the group apps. Write pods.
          --set types={secrets} | types has secrets, and secrets.allowed is false.
          --set secrets.allowed=true | secrets.allowed is true, and types does not have secrets.
          --set replicas=0 | replicas is 0; it has to be 1 to 100.
          --set replicas=101 | replicas is 101; it has to be 1 to 100.
          --set autoscaling.maxReplicas=2 | autoscaling.maxReplicas is 2; it has to be 0, or 3 (replicas) to 1000.
          --set autoscaling.streamsPerReplica=-1 | autoscaling.streamsPerReplica is -1; it has to be 0 to 1000000.
          --set autoscaling.enabled=false,autoscaling.maxReplicas=5 | are for the autoscaler, and autoscaling.enabled is false. Leave them out.
          --set resources.cpu=0.5 | resources.cpu is not a quantity such as 2 or 500m: 0.5.
          --set resources.cpu=two | resources.cpu is not a quantity such as 2 or 500m: two.
          --set resources.memory=2G | resources.memory is not a quantity such as 512Mi or 2Gi: 2G.
          --set resources.memory=256Mi | resources.memory is 256Mi, which is too little: classes, code and threads take 150 MiB of it. Give 320Mi or more.
          --set drainSeconds=0 | drainSeconds is 0; it has to be 1 to 3600.
          --set drainSeconds=60 | Set it to 70 or more.
          --set tls.insecure=true | tls.insecure is for tls.mode off.
          --set tls.secretName= | tls.secretName is not the name of a secret: "".
          --set tls.mode=off | tls.mode is off: every address that reaches the ports can read all types
          --set-json tls.mode=false | Set tls.insecure to true to confirm it, or leave the mode out.
          --set tls.mode=off,tls.insecure=true,metrics.auth=true | metrics.auth needs callers with tokens, and tls.mode is off.
          --set tls.mode=off,tls.insecure=true,types={secrets},secrets.allowed=true | every address that reaches the ports could read all Secrets.
          --set tls.mode=certManager | tls.mode is certManager, and tls.issuer.name is not the name of an issuer: "".
          --set tls.issuer.name=ca | tls.issuer.name is for tls.mode certManager.
          --set kubeApi.clusterCertificates=true | kubeApi.clusterCertificates is for TLS with the Kubernetes read API.
          --set flowSchema.enabled=true --kube-version 1.28.3 | flowSchema.enabled needs Kubernetes 1.29, and the cluster has v1.28.3.
          --set networkPolicy.clientNamespaces={Apps} | networkPolicy.clientNamespaces has "Apps", which is not the name of a namespace.
          --set networkPolicy.metricsNamespace= | networkPolicy.metricsNamespace is not the name of a namespace: "".
          --set networkPolicy.enabled=false,networkPolicy.clientNamespaces={apps} | networkPolicy.clientNamespaces has no effect, because networkPolicy.enabled is false
          --set podMonitor.enabled=true,metrics.auth=true | podMonitor.enabled and metrics.auth need podMonitor.tokenSecret.name
          --set-string podMonitor.interval=30 | podMonitor.interval is not a duration such as 30s: 30.
          --set prometheusRule.runbookUrl=wiki | prometheusRule.runbookUrl is not an address that begins with http:// or https://: wiki.
          --set priorityClassName=High | priorityClassName is not the name of a PriorityClass: "High".
          --set extraArgs={--drain=60} | extraArgs has --drain: use drainSeconds.
          --set extraArgs={--type,pods} | extraArgs has --type: use types.
          --set kubeApi.enabled=true,extraArgs={--drop-managed-fields} | extraArgs has --drop-managed-fields: kubeApi.enabled excludes it.
          --set kubeApi.enabled=true,kubeApi.clusterCertificates=true,extraArgs={--kube-client-ca=cluster} | extraArgs has --kube-client-ca: kubeApi.clusterCertificates sets it.
          --set extraEnv[0].name=JDK_JAVA_OPTIONS | extraEnv has JDK_JAVA_OPTIONS, which the chart derives from resources.
          --set extraVolumes[0].name=tls | extraVolumes has tls, which is a volume of the chart.
          --set extraVolumeMounts[0].name=a,extraVolumeMounts[0].mountPath=/tmp/ | extraVolumeMounts has /tmp/, where the chart mounts a volume of its own.
          --set podLabels.app\\.kubernetes\\.io/name=a | podLabels has app.kubernetes.io/name; the chart sets the labels of that prefix.
          """)
  void wrongValue_isRefusedWithASentence(String options, String sentence) throws Exception {
    assertThat(refused(options).err())
        .contains("The values cannot be used:", sentence)
        .containsOnlyOnce("\n  - ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --set replica=2 | additional properties 'replica' not allowed
          --set image.tags=1 | at '/image': additional properties 'tags' not allowed
          --set podMonitor.tokenSecret.keys=1 | at '/podMonitor/tokenSecret': additional properties 'keys'
          --set affinity.pod.a=1 | at '/affinity': additional properties 'pod' not allowed
          --set extraEnv[0].nam=a | at '/extraEnv/0': missing property 'name'
          --set replicas=three | at '/replicas': got string, want integer
          --set types=pods | at '/types': got string, want array
          --set-json image.tag=1.10 | at '/image/tag': got number, want string
          --set kubeApi.enabled=yes | at '/kubeApi/enabled': got string, want boolean
          --set tls.mode=none | at '/tls/mode': value must be one of 'secret', 'certManager', 'off'
          --set tls.issuer.kind=Vault | at '/tls/issuer/kind': value must be one of 'Issuer', 'ClusterIssuer'
          --set tls=null | missing property 'tls'
          """)
  void valueOfAnotherForm_isRefusedByTheSchema(String options, String message) throws Exception {
    assertThat(refused(options).err()).contains(message);
  }

  @Test
  void wrongValues_areNamedTogether() throws Exception {
    assertThat(refused("--set replicas=0,resources.cpu=no,tls.issuer.name=ca").err())
        .contains("\n  - replicas is", "\n  - resources.cpu is", "\n  - tls.issuer.name is");
  }
}
