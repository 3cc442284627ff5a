package io.watchgate.e2e.documents;

import io.watchgate.e2e.StablePorts;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.KubeException;
import io.watchgate.e2e.kube.Resource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import okhttp3.tls.HeldCertificate;

/**
 * Check of the commands with which a laptop reaches a gateway with TLS in a cluster. The gateway's
 * certificate is for the name of a Service. A TCP forwarder stands for the port-forward, and the
 * launcher is called without the wrapper that adds addresses.
 */
final class LaptopRecipe {
  private static final String NAME = "watchgate.watchgate.svc";
  private static final String PORT_FORWARD = "kubectl -n watchgate port-forward ";
  private static final String RBAC = "rbac.authorization.k8s.io";

  /** Authority of the gateways' certificates: the cluster has it in a secret. */
  private static final HeldCertificate AUTHORITY =
      new HeldCertificate.Builder().commonName("laptop").certificateAuthority(0).build();

  private LaptopRecipe() {}

  /** Returns the check: the last command is the one that watches. */
  static Check reachesGateway() {
    return (block, world) -> {
      int port = StablePorts.free();
      try (Terminal _ =
              world.gateway(
                  "--listen 127.0.0.1:" + port, "--http-listen 127.0.0.1:0", tls(world, NAME));
          PortForward forward =
              PortForward.to(port, world.checkout().addresses().in("127.0.0.1:7443"));
          Terminal terminal = world.open(script(block))) {
        terminal.awaitOutput(ReaderEnvironment.POD);
        forward.stop();
        terminal.awaitOutput("waiting: |reconnected ");
      }
    };
  }

  /** Returns the check of the Kubernetes read API: the last command is the one that watches. */
  static Check reachesKubeApi() {
    return (block, world) -> {
      int port = StablePorts.free();
      try (Terminal _ = world.gateway("--kube-listen 127.0.0.1:" + port, tls(world, NAME));
          PortForward _ = PortForward.to(port, world.checkout().addresses().in("127.0.0.1:6443"));
          Terminal terminal = world.open(script(block))) {
        terminal.awaitOutput("^pod/" + ReaderEnvironment.POD);
      }
    };
  }

  /** Returns the commands but for the port-forward; the last one replaces the shell. */
  private static String script(Block block) {
    List<String> commands =
        block.commands().stream()
            .filter(command -> !command.startsWith(PORT_FORWARD))
            .map(command -> command.replace("./watchgate ", "./watchgate.real "))
            .toList();
    return String.join("\n", commands.subList(0, commands.size() - 1))
        + "\nexec "
        + commands.getLast();
  }

  /**
   * Prepares the cluster. Returns the options of a gateway that authenticates, with TLS.
   *
   * @param name name that the certificate has
   */
  private static String tls(ReaderEnvironment world, String name) throws IOException {
    prepare(world.apiserver().cluster());
    return "--token-review " + String.join(" ", tlsOptions(world.folder(), name));
  }

  private static List<String> tlsOptions(Path folder, String name) throws IOException {
    HeldCertificate own =
        new HeldCertificate.Builder().signedBy(AUTHORITY).addSubjectAlternativeName(name).build();
    Path certificate = Files.writeString(folder.resolve("gateway.crt"), own.certificatePem());
    Path key = Files.writeString(folder.resolve("gateway.key"), own.privateKeyPkcs8Pem());
    return List.of("--tls-cert", certificate.toString(), "--tls-key", key.toString());
  }

  /** Creates what is in the cluster already: the certificate's secret, the account, its rights. */
  private static void prepare(Cluster cluster) {
    String ca =
        Base64.getEncoder()
            .encodeToString(AUTHORITY.certificatePem().getBytes(StandardCharsets.UTF_8));
    createUnlessPresent(
        cluster,
        Resource.NAMESPACES,
        """
        {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"watchgate"}}\
        """);
    createUnlessPresent(
        cluster,
        new Resource("", "v1", "secrets", "Secret"),
        """
        {"apiVersion":"v1","kind":"Secret",
         "metadata":{"namespace":"watchgate","name":"watchgate-tls"},"data":{"ca.crt":"%s"}}\
        """
            .formatted(ca));
    createUnlessPresent(
        cluster,
        new Resource("", "v1", "serviceaccounts", "ServiceAccount"),
        """
        {"apiVersion":"v1","kind":"ServiceAccount",
         "metadata":{"namespace":"shop","name":"reader"}}\
        """);
    createUnlessPresent(
        cluster,
        new Resource(RBAC, "v1", "roles", "Role"),
        """
        {"apiVersion":"%s/v1","kind":"Role","metadata":{"namespace":"shop","name":"laptop"},
         "rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["list","watch"]}]}\
        """
            .formatted(RBAC));
    createUnlessPresent(
        cluster,
        new Resource(RBAC, "v1", "rolebindings", "RoleBinding"),
        """
        {"apiVersion":"%s/v1","kind":"RoleBinding",
         "metadata":{"namespace":"shop","name":"laptop"},
         "roleRef":{"apiGroup":"%s","kind":"Role","name":"laptop"},
         "subjects":[{"kind":"ServiceAccount","namespace":"shop","name":"reader"}]}\
        """
            .formatted(RBAC, RBAC));
  }

  /** Creates an object that another block may have created already. */
  static void createUnlessPresent(Cluster cluster, Resource type, String object) {
    try {
      cluster.create(type, Json.parse(object));
    } catch (KubeException e) {
      if (e.code() != 409) {
        throw e;
      }
    }
  }
}
