package io.watchgate.cli;

import static io.watchgate.cli.UsageError.requireInRange;

import io.watchgate.cli.deploy.Manifests;
import io.watchgate.cli.deploy.Manifests.Part;
import io.watchgate.cli.deploy.RbacResource;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code watchgate manifests}: prints the Kubernetes manifests of a gateway. */
@Command(
    name = "manifests",
    customSynopsis = "watchgate manifests --image IMAGE --type TYPE [OPTION...]",
    description = {
      "Prints the manifests that run gateways in a cluster, for kubectl apply -f -: a Deployment of"
          + " replicas, the rights to read the named types and to check its callers, a role for"
          + " subscribers, a headless and an ordinary Service, a NetworkPolicy, a"
          + " PodDisruptionBudget and a HorizontalPodAutoscaler.",
      "The image is made by gateway/deploy/image."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the manifests were printed",
      "1:stdout cannot be written",
      "2:the command line is wrong; nothing was printed"
    })
final class ManifestsCommand implements Callable<Integer> {
  private static final String NAMESPACE = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";
  private static final String LABEL = "[a-z]([-a-z0-9]{0,48}[a-z0-9])?";

  private static final String OBJECT = "[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?";

  /** Namespaces of the cluster's own components. */
  private static final Set<String> OF_CLUSTER =
      Set.of("kube-system", "kube-public", "kube-node-lease");

  /** Default of the largest number of replicas, as a multiple of the least one. */
  private static final int MAX_SCALE = 4;

  private final Stdio stdio;

  @Spec private @Nullable CommandSpec command;

  @Option(
      names = "--image",
      paramLabel = "IMAGE",
      required = true,
      description =
          "Image of the pods, with its registry and its tag or, better, its digest:"
              + " registry.example/watchgate@sha256:...")
  private String image = "";

  @Option(
      names = "--image-pull-secret",
      paramLabel = "NAME",
      description =
          "Secret of the namespace with which the image is pulled; may be repeated. Default:"
              + " none.")
  private List<String> pullSecrets = List.of();

  @Option(
      names = "--priority-class",
      paramLabel = "NAME",
      defaultValue = "",
      description =
          "PriorityClass of the pods, so that they are not evicted for less important ones."
              + " Default: the cluster's.")
  private String priorityClass = "";

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      required = true,
      description =
          "Resource type to serve, as plural with its group: pods, deployments.apps. A built-in"
              + " type does not need its group. May be repeated.")
  private List<String> types = List.of();

  @Option(
      names = "--name",
      paramLabel = "NAME",
      defaultValue = "watchgate",
      description = "Name of the objects, or its first part. Default: ${DEFAULT-VALUE}.")
  private String name = "";

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAMESPACE",
      defaultValue = "watchgate",
      description =
          "Namespace of the objects that have one, best for gateways alone; it must exist, or"
              + " --create-namespace is given. Default: ${DEFAULT-VALUE}.")
  private String namespace = "";

  @Option(
      names = "--create-namespace",
      description =
          "Print the namespace too, with labels by which Pod Security admits restricted pods only."
              + " Default: no.")
  private boolean createNamespace;

  @Option(
      names = "--replicas",
      paramLabel = "COUNT",
      defaultValue = "3",
      description = "Minimum number of replicas, 1 to 100. Default: ${DEFAULT-VALUE}.")
  private int replicas;

  @Option(
      names = "--max-replicas",
      paramLabel = "COUNT",
      description =
          "Number of replicas up to which the autoscaler scales, --replicas to 1000. Default: four"
              + " times --replicas.")
  private @Nullable Integer maxReplicas;

  @Option(
      names = "--no-autoscaler",
      description =
          "A fixed number of --replicas, without a HorizontalPodAutoscaler. To change to the"
              + " autoscaler later, read the comment in the Deployment that is printed without this"
              + " option. Default: with one, which needs the cluster's metrics server.")
  private boolean fixed;

  @Option(
      names = "--memory",
      paramLabel = "QUANTITY",
      defaultValue = "2Gi",
      description = "Memory of a replica, in Mi or Gi, 320Mi or more. Default: ${DEFAULT-VALUE}.")
  private String memory = "";

  @Option(
      names = "--cpu",
      paramLabel = "QUANTITY",
      defaultValue = "1",
      description =
          "CPU request of a replica; it has no CPU limit, but Java uses as many CPUs as this, at"
              + " least 2. Default: ${DEFAULT-VALUE}.")
  private String cpu = "";

  @Option(
      names = "--streams-per-replica",
      paramLabel = "COUNT",
      defaultValue = "0",
      description =
          "Number of streams of a replica above which the autoscaler adds replicas, 0 (by CPU"
              + " alone) to 1000000. Needs an adapter that provides the pods' metric"
              + " watchgate_stream_slots; without the adapter the autoscaler never removes"
              + " replicas. Default: ${DEFAULT-VALUE}.")
  private int streamsPerReplica;

  @Option(
      names = "--tls-secret",
      paramLabel = "NAME",
      defaultValue = "watchgate-tls",
      description =
          "A secret of type kubernetes.io/tls, for the names of both Services."
              + " Default: ${DEFAULT-VALUE}.")
  private String tlsSecret = "";

  @Option(
      names = "--cert-issuer",
      paramLabel = "ISSUER",
      defaultValue = "",
      description =
          "Issuer of cert-manager, NAME or ClusterIssuer/NAME: prints a Certificate that makes the"
              + " secret. Default: the secret is yours; a comment lists the names that its"
              + " certificate must have.")
  private String issuer = "";

  @Option(
      names = "--client-namespace",
      paramLabel = "NAMESPACE",
      description =
          "Namespace whose pods may connect to the ports of clients, by the NetworkPolicy; may be"
              + " repeated. Default: every address may.")
  private List<String> clientNamespaces = List.of();

  @Option(
      names = "--metrics-namespace",
      paramLabel = "NAMESPACE",
      defaultValue = "monitoring",
      description =
          "Namespace whose pods may read the metrics, by the NetworkPolicy. Default:"
              + " ${DEFAULT-VALUE}.")
  private String metricsNamespace = "";

  @Option(
      names = "--metrics-auth",
      description =
          "Require a token with the right to get /metrics, and print a role for it. The token is"
              + " sent in plaintext. Default: the NetworkPolicy alone.")
  private boolean metricsAuth;

  @Option(
      names = "--kube-api",
      description =
          "Serve the Kubernetes read API too, for kubectl, client-go and other clients that are not"
              + " changed: port 6443 of the pods, 443 of the ordinary Service. Default: gRPC"
              + " alone.")
  private boolean kubeApi;

  @Option(
      names = "--kube-client-ca",
      paramLabel = "cluster",
      defaultValue = "",
      description =
          "With the value cluster, accept the cluster's client certificates over the Kubernetes"
              + " read API, and print a RoleBinding in kube-system by which their CA is"
              + " read. Default: tokens alone.")
  private String kubeClientCa = "";

  @Option(
      names = "--flow-schema",
      description =
          "Print a FlowSchema and a priority level for the requests of the gateway's account, so"
              + " that they do not wait behind those of others when the apiserver is overloaded."
              + " Needs Kubernetes 1.29. Default: the flow of all service accounts.")
  private boolean flowSchema;

  @Option(
      names = "--insecure",
      description =
          "Plaintext without authentication: every client that reaches the port reads what the"
              + " gateway may read; with --type secrets only with --client-namespace. Default: TLS,"
              + " and a stream needs a token of the cluster for the"
              + " audience watchgate, and the right to list and watch what it selects.")
  private boolean insecure;

  ManifestsCommand(Stdio stdio) {
    this.stdio = stdio;
  }

  @Override
  public Integer call() throws IOException {
    check("--name", name, LABEL, "a name of lower-case letters, digits and -");
    checkNamespace("--namespace", namespace);
    if (OF_CLUSTER.contains(namespace)) {
      throw UsageError.of(
          command,
          "--namespace "
              + namespace
              + ": the gateway's role may create and delete all Leases of its namespace, and those"
              + " of the cluster's own components are there; name another namespace");
    }
    checkNamespace("--metrics-namespace", metricsNamespace);
    clientNamespaces.forEach(each -> checkNamespace("--client-namespace", each));
    check(
        "--cert-issuer",
        issuer,
        "|(ClusterIssuer/)?[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?",
        "NAME or ClusterIssuer/NAME");
    check("--tls-secret", tlsSecret, OBJECT, "a secret's name");
    pullSecrets.forEach(secret -> check("--image-pull-secret", secret, OBJECT, "a secret's name"));
    check("--priority-class", priorityClass, "|" + OBJECT, "the name of a PriorityClass");
    check(
        "--image",
        image,
        "[a-zA-Z0-9][-a-zA-Z0-9./:_]*(@sha256:[0-9a-f]{64})?",
        "an image with a tag, or with a digest: @sha256: and 64 hexadecimal digits");
    if (insecure && metricsAuth) {
      throw UsageError.of(
          command, "--metrics-auth needs callers with tokens; leave --insecure out");
    }
    if (insecure && !issuer.isEmpty()) {
      throw UsageError.of(command, "--cert-issuer is for TLS; leave --insecure out");
    }
    check(
        "--kube-client-ca",
        kubeClientCa,
        "(cluster)?",
        "'cluster'; a file of CAs would have to be mounted: add it to the Deployment");
    if (!kubeClientCa.isEmpty() && (insecure || !kubeApi)) {
      throw UsageError.of(
          command,
          "--kube-client-ca is for TLS with --kube-api: add that, and leave --insecure out");
    }
    if (fixed && streamsPerReplica > 0) {
      throw UsageError.of(
          command, "--streams-per-replica is for the autoscaler; leave --no-autoscaler out");
    }
    if (fixed && maxReplicas != null) {
      throw UsageError.of(
          command, "--max-replicas is for the autoscaler; leave --no-autoscaler out");
    }
    check("--memory", memory, "[1-9][0-9]{0,5}(Mi|Gi)", "a quantity such as 512Mi or 2Gi");
    check("--cpu", cpu, "[1-9][0-9]{0,3}|[1-9][0-9]{0,5}m", "a quantity such as 2 or 500m");
    requireInRange(command, "--replicas", replicas, 1, 100);
    int most = maxReplicas == null ? MAX_SCALE * replicas : maxReplicas;
    requireInRange(command, "--max-replicas", most, replicas, 1_000);
    requireInRange(command, "--streams-per-replica", streamsPerReplica, 0, 1_000_000);
    Manifests.Scale scale = new Manifests.Scale(replicas, most, memory, cpu, streamsPerReplica);
    if (scale.memoryMib() < Manifests.Scale.MIN_MEMORY_MIB) {
      throw UsageError.of(
          command,
          "--memory "
              + memory
              + " is too little: classes, code and threads take 150 MiB of it; give "
              + Manifests.Scale.MIN_MEMORY_MIB
              + "Mi or more");
    }
    List<RbacResource> served = types.stream().map(this::type).toList();
    if (insecure
        && clientNamespaces.isEmpty()
        && served.stream().anyMatch(RbacResource::isSecrets)) {
      throw UsageError.of(
          command,
          "--insecure with --type secrets: every address that reaches the ports could read all"
              + " Secrets; give --client-namespace, or leave --insecure out");
    }
    Manifests.Access access =
        new Manifests.Access(insecure ? "" : tlsSecret, issuer, metricsNamespace, clientNamespaces);
    String yaml =
        new Manifests(
                new Manifests.Wanted(
                    name,
                    namespace,
                    new Manifests.Pods(image, pullSecrets, priorityClass),
                    served,
                    scale,
                    access,
                    parts()))
            .yaml();
    if (insecure) {
      new ReconnectReporter(stdio.err()).report("--insecure: " + access.insecureText());
    }
    if (!image.contains("@") && !image.matches(".*:(?!latest$)[^/:]+")) {
      new ReconnectReporter(stdio.err())
          .report(
              "--image "
                  + image
                  + " is another image after each push, so that replicas may differ; name a tag or"
                  + " a digest");
    }
    stdio.print(yaml);
    return ExitCodes.SUCCESS;
  }

  private Set<Part> parts() {
    Set<Part> parts = EnumSet.noneOf(Part.class);
    if (createNamespace) {
      parts.add(Part.NAMESPACE);
    }
    if (!fixed) {
      parts.add(Part.AUTOSCALER);
    }
    if (metricsAuth) {
      parts.add(Part.METRICS_AUTH);
    }
    if (kubeApi) {
      parts.add(Part.KUBE_API);
    }
    if (flowSchema) {
      parts.add(Part.FLOW_SCHEMA);
    }
    if (!kubeClientCa.isEmpty()) {
      parts.add(Part.KUBE_CERTIFICATES);
    }
    return parts;
  }

  private RbacResource type(String text) {
    try {
      RbacResource type = RbacResource.parse(text);
      ReconnectReporter reporter = new ReconnectReporter(stdio.err());
      if (!type.toString().equals(text)) {
        reporter.report("--type " + text + " is written as " + type);
      }
      type.warning().ifPresent(doubt -> reporter.report("--type " + type + ": " + doubt));
      return type;
    } catch (IllegalArgumentException e) {
      throw UsageError.of(command, "--type " + e.getMessage());
    }
  }

  private void checkNamespace(String option, String value) {
    check(option, value, NAMESPACE, "a name of lower-case letters, digits and -");
  }

  private void check(String option, String value, String form, String expected) {
    if (!value.matches(form)) {
      throw UsageError.of(command, option + " '" + value + "' is not " + expected);
    }
  }
}
