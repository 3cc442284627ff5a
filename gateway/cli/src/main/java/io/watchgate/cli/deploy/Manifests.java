package io.watchgate.cli.deploy;

import io.watchgate.cli.output.YamlText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Manifests of a gateway, as YAML, from the templates in {@code deploy/manifests}. Immutable. */
public final class Manifests {
  /** Image whose tag is a valid value of a label; its digest may follow. */
  private static final Pattern VERSION_TAG =
      Pattern.compile(
          "(?:.*/)?[^:@]+:([a-zA-Z0-9](?:[-\\w.]{0,61}[a-zA-Z0-9])?)(?:@sha256:[0-9a-f]{64})?");

  /** Memory of classes, code and threads: 140 MiB were measured, with the sandbox. */
  private static final int OUTSIDE_HEAP_MIB = 150;

  /** Heap, and unread responses outside it: twice an eighth of the heap at most. */
  private static final double HEAP_AND_RESPONSES = 1.25;

  private static final int MAX_HEAP_PERCENT = 70;

  private static final String CLUSTER_ISSUER = "ClusterIssuer/";

  private final Wanted wanted;

  /**
   * Parameters of the manifests.
   *
   * @param name name of every object
   * @param types served types; each has its RBAC rule, and is loaded before a replica is ready
   * @param parts objects and settings beside those that every gateway has
   */
  public record Wanted(
      String name,
      String namespace,
      Pods pods,
      List<RbacResource> types,
      Scale scale,
      Access access,
      Set<Part> parts) {
    public Wanted {
      types =
          types.stream().distinct().sorted(Comparator.comparing(RbacResource::toString)).toList();
      parts = Set.copyOf(parts);
    }
  }

  /** Part of the manifests that can be left out. */
  public enum Part {
    /** The namespace, with the labels of Pod Security. */
    NAMESPACE,
    /** A HorizontalPodAutoscaler; without it the Deployment has a fixed number of replicas. */
    AUTOSCALER,
    /** Authentication of those who read the metrics, and a role for them. */
    METRICS_AUTH,
    /** The Kubernetes read API, at port 6443 of the pods and 443 of the ordinary Service. */
    KUBE_API,
    /** Client certificates over the Kubernetes read API, and the right to read their authority. */
    KUBE_CERTIFICATES,
    /** A priority level of API Priority and Fairness for the requests of the gateway's account. */
    FLOW_SCHEMA
  }

  /**
   * Image of the pods, and the objects of the cluster that they name.
   *
   * @param pullSecrets secrets of the namespace with which the image is pulled
   * @param priorityClass empty for the cluster's default
   */
  public record Pods(String image, List<String> pullSecrets, String priorityClass) {
    public Pods {
      pullSecrets = List.copyOf(pullSecrets);
    }
  }

  /**
   * Number and size of the replicas.
   *
   * @param replicas minimum number of replicas
   * @param maxReplicas number up to which the autoscaler adds replicas
   * @param memory memory of a replica, as Kubernetes writes it: {@code 2Gi}, {@code 512Mi}
   * @param cpu CPU request of a replica
   * @param streamsPerReplica streams above which the autoscaler adds a replica, by a metric that an
   *     adapter provides; 0 for CPU alone
   */
  public record Scale(
      int replicas, int maxReplicas, String memory, String cpu, int streamsPerReplica) {
    /**
     * Minimum memory in MiB: the heap then has 134 MiB. With less memory, Java gives the heap about
     * 126 MiB whatever percentage is set, and {@code --outbound-mib} has a minimum of 16 MiB.
     */
    public static final int MIN_MEMORY_MIB = 320;

    /** Returns the memory in MiB. */
    public int memoryMib() {
      int number = Integer.parseInt(memory.substring(0, memory.length() - 2));
      return memory.endsWith("Gi") ? number << 10 : number;
    }
  }

  /**
   * Protection of the ports.
   *
   * @param tlsSecret name of a secret of type kubernetes.io/tls; empty for plaintext
   * @param issuer cert-manager's issuer of the certificate in the secret: {@code NAME} or {@code
   *     ClusterIssuer/NAME}; empty if the secret is made by other means
   * @param metricsNamespace namespace whose pods may read the metrics
   * @param clientNamespaces namespaces whose pods may connect to the ports of clients; empty: every
   *     address may
   */
  public record Access(
      String tlsSecret, String issuer, String metricsNamespace, List<String> clientNamespaces) {
    public Access {
      clientNamespaces = List.copyOf(clientNamespaces);
    }

    /** Returns the sentence that says which clients can read all types without authentication. */
    public String insecureText() {
      return clientNamespaces.isEmpty()
          ? "every address that reaches the ports can read all types; --client-namespace NAMESPACE"
              + " admits the pods of that namespace only"
          : "every pod of "
              + String.join(", ", clientNamespaces)
              + " can read all types, if the cluster enforces NetworkPolicies";
    }
  }

  public Manifests(Wanted wanted) {
    this.wanted = wanted;
  }

  /** Returns all documents, separated by YAML's {@code ---}. */
  public String yaml() {
    Map<String, String> values =
        Map.ofEntries(
            Map.entry("name", wanted.name()),
            Map.entry("namespace", wanted.namespace()),
            Map.entry("labels", labels(", app.kubernetes.io/part-of: watchgate")),
            Map.entry(
                "podLabels", labels(", app.kubernetes.io/part-of: watchgate" + versionLabel())),
            Map.entry("selector", labels("")),
            Map.entry("image", wanted.pods().image()),
            Map.entry("pullSecrets", pullSecrets()),
            Map.entry("priority", priority()),
            Map.entry("number", number()),
            Map.entry("replicas", Integer.toString(wanted.scale().replicas())),
            Map.entry("mostReplicas", Integer.toString(wanted.scale().maxReplicas())),
            Map.entry("memory", wanted.scale().memory()),
            Map.entry("heapPercent", Integer.toString(heapPercent())),
            Map.entry("cpu", wanted.scale().cpu()),
            Map.entry("streams", streams()),
            Map.entry("readerTypes", RbacRules.ofTypes(readerTypes())),
            Map.entry("secretTypes", RbacRules.ofTypes(secretTypes())),
            Map.entry("rules", RbacRules.ofAccount(wanted.types(), isAuthenticated())),
            Map.entry("arguments", arguments()),
            Map.entry("mounts", mounts()),
            Map.entry("certificateNames", certificateNames()),
            Map.entry("volumes", volumes()),
            Map.entry(
                "kubePort", ifKubeApi(" ".repeat(12) + "- {name: kube, containerPort: 6443}")),
            Map.entry("kubeService", ifKubeApi(kubeService())),
            Map.entry("kubeAllowed", ifKubeApi(", {port: kube}")),
            Map.entry("clients", clients()),
            // Not grpc: a service mesh takes it for gRPC without TLS.
            Map.entry("protocol", isAuthenticated() ? "tls" : "kubernetes.io/h2c"),
            Map.entry("scraping", scraping()),
            Map.entry("processors", Integer.toString(processors())),
            Map.entry("tlsSecret", wanted.access().tlsSecret()),
            Map.entry(
                "issuerKind",
                wanted.access().issuer().startsWith(CLUSTER_ISSUER) ? "ClusterIssuer" : "Issuer"),
            Map.entry("issuer", wanted.access().issuer().replace(CLUSTER_ISSUER, "")),
            Map.entry("dnsNames", "[" + String.join(", ", dnsNames()) + "]"),
            Map.entry("metricsNamespace", wanted.access().metricsNamespace()));
    List<String> documents = new ArrayList<>();
    for (String file : files()) {
      documents.add(ManifestTemplate.read(file).fill(values));
    }
    return String.join("---\n", documents);
  }

  /** Returns the templates, in the order in which their objects are created. */
  private List<String> files() {
    Map<String, Boolean> files = new LinkedHashMap<>();
    files.put("namespace", has(Part.NAMESPACE));
    files.put("access", true);
    files.put("reader", isAuthenticated() && !readerTypes().isEmpty());
    files.put("reader-secrets", isAuthenticated() && !secretTypes().isEmpty());
    files.put("debug", isAuthenticated());
    files.put("metrics", has(Part.METRICS_AUTH));
    files.put("authority", has(Part.KUBE_CERTIFICATES));
    files.put("flow-schema", has(Part.FLOW_SCHEMA));
    files.put("certificate", !wanted.access().issuer().isEmpty());
    files.put("deployment", true);
    files.put("services", true);
    files.put("network-policy", true);
    files.put("disruption", true);
    files.put("autoscaler", has(Part.AUTOSCALER));
    return files.entrySet().stream().filter(Map.Entry::getValue).map(Map.Entry::getKey).toList();
  }

  private boolean has(Part part) {
    return wanted.parts().contains(part);
  }

  private String ifKubeApi(String text) {
    return has(Part.KUBE_API) ? text : "";
  }

  /** Returns the port at which clients of the Kubernetes API look for an apiserver. */
  private String kubeService() {
    return "    - {name: kube, port: 443, targetPort: kube, appProtocol: %s}"
        .formatted(isAuthenticated() ? "https" : "http");
  }

  /** Returns the clients that the NetworkPolicy admits; empty for all. */
  private String clients() {
    List<String> namespaces = wanted.access().clientNamespaces();
    return namespaces.isEmpty()
        ? ""
        : " ".repeat(6)
            + "from: [{namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name,"
            + " operator: In, values: [%s]}]}}]"
                .formatted(String.join(", ", namespaces.stream().map(YamlText::scalar).toList()));
  }

  private String labels(String more) {
    return "{app.kubernetes.io/name: watchgate, app.kubernetes.io/instance: %s%s}"
        .formatted(YamlText.scalar(wanted.name()), more);
  }

  /** Returns the label with the tag of the image; empty without a tag that names a version. */
  private String versionLabel() {
    Matcher image = VERSION_TAG.matcher(wanted.pods().image());
    return image.matches() && !image.group(1).equals("latest")
        ? ", app.kubernetes.io/version: " + YamlText.scalar(image.group(1))
        : "";
  }

  private String number() {
    return has(Part.AUTOSCALER)
        ? """
          # No replicas: the autoscaler sets the number, also when this is applied again.
          # If the Deployment was applied with replicas (--no-autoscaler), this apply would set 1. To prevent it, run once before:
          # kubectl -n %s apply edit-last-applied deployment/%s, and remove the line of replicas.\
        """
            .formatted(wanted.namespace(), wanted.name())
        : "  replicas: " + wanted.scale().replicas();
  }

  private String pullSecrets() {
    List<String> secrets =
        wanted.pods().pullSecrets().stream()
            .map(YamlText::scalar)
            .map("{name: %s}"::formatted)
            .toList();
    return secrets.isEmpty()
        ? ""
        : " ".repeat(6) + "imagePullSecrets: [" + String.join(", ", secrets) + "]";
  }

  private String priority() {
    String name = wanted.pods().priorityClass();
    return name.isEmpty() ? "" : " ".repeat(6) + "priorityClassName: " + YamlText.scalar(name);
  }

  /** Returns the names under which clients in the cluster connect. */
  private List<String> dnsNames() {
    return Stream.of(wanted.name(), wanted.name() + "-replicas")
        .map(service -> service + "." + wanted.namespace() + ".svc")
        .flatMap(name -> Stream.of(name, name + ".cluster.local"))
        .toList();
  }

  private int heapPercent() {
    int memory = wanted.scale().memoryMib();
    int fitting = (int) (100 * (memory - OUTSIDE_HEAP_MIB) / HEAP_AND_RESPONSES / memory);
    return Math.min(MAX_HEAP_PERCENT, fitting);
  }

  /**
   * Returns annotations for Prometheus; empty with --metrics-auth, as Prometheus sends no token.
   */
  private String scraping() {
    return has(Part.METRICS_AUTH)
        ? ""
        : " ".repeat(6)
            + "annotations: {prometheus.io/scrape: \"true\", prometheus.io/port: \"9443\","
            + " prometheus.io/path: /metrics}";
  }

  /** Returns the number of processors that Java counts on: the requested ones, at least 2. */
  private int processors() {
    String cpu = wanted.scale().cpu();
    int millis =
        cpu.endsWith("m")
            ? Integer.parseInt(cpu.substring(0, cpu.length() - 1))
            : 1_000 * Integer.parseInt(cpu);
    return Math.max(2, Math.ceilDiv(millis, 1_000));
  }

  private String certificateNames() {
    return isAuthenticated() && wanted.access().issuer().isEmpty()
        ? " ".repeat(8) + "# Names of the certificate: " + String.join(", ", dnsNames())
        : "";
  }

  private List<RbacResource> secretTypes() {
    return wanted.types().stream().filter(RbacResource::isSecrets).toList();
  }

  private List<RbacResource> readerTypes() {
    return wanted.types().stream().filter(type -> !type.isSecrets()).toList();
  }

  /**
   * Returns whether callers are authenticated. Not without TLS, because tokens would be readable on
   * the network.
   */
  private boolean isAuthenticated() {
    return !wanted.access().tlsSecret().isEmpty();
  }

  private String arguments() {
    List<String> arguments = new ArrayList<>();
    if (!isAuthenticated()) {
      arguments.add("--insecure # " + wanted.access().insecureText());
    } else {
      arguments.add("--tls-cert=/tls/tls.crt");
      arguments.add("--tls-key=/tls/tls.key");
      arguments.add("--token-review");
    }
    if (has(Part.METRICS_AUTH)) {
      arguments.add("--metrics-auth");
    }
    if (has(Part.KUBE_API)) {
      arguments.add("--kube-listen=0.0.0.0:6443");
    }
    if (has(Part.KUBE_CERTIFICATES)) {
      arguments.add("--kube-client-ca=cluster");
    }
    wanted.types().forEach(type -> arguments.add("--type=" + type));
    return String.join("\n", arguments.stream().map(it -> " ".repeat(12) + "- " + it).toList());
  }

  /**
   * Returns the metric of streams, if requested. A metric that no adapter provides would prevent
   * the autoscaler from ever scaling down.
   */
  private String streams() {
    return wanted.scale().streamsPerReplica() == 0
        ? ""
        : "    - type: Pods\n      pods:\n"
            + "        metric: {name: watchgate_stream_slots}\n"
            + "        target: {type: AverageValue, averageValue: \"%d\"}"
                .formatted(wanted.scale().streamsPerReplica());
  }

  private String mounts() {
    return wanted.access().tlsSecret().isEmpty()
        ? ""
        : " ".repeat(12) + "- {name: tls, mountPath: /tls, readOnly: true}";
  }

  private String volumes() {
    return wanted.access().tlsSecret().isEmpty()
        ? ""
        : " ".repeat(8)
            + "- {name: tls, secret: {secretName: "
            + YamlText.scalar(wanted.access().tlsSecret())
            // 0440, of which YAML 1.2 would make 440. The user reads it by fsGroup.
            + ", defaultMode: 288}} # r--r-----";
  }
}
