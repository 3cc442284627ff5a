package io.watchgate.e2e.unmodified;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.kube.Cluster;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Server with the Kubernetes API.
 *
 * @param kubeconfig access of the programs
 * @param cluster access of the test itself
 */
record Target(Path kubeconfig, Cluster cluster) {
  static Target of(Apiserver apiserver) {
    return new Target(apiserver.kubeconfig(), apiserver.cluster());
  }

  /**
   * Returns a server without encryption and credentials; its kubeconfig is written into the folder.
   * The official JavaScript client refuses plain HTTP unless TLS need not be verified.
   */
  static Target plaintext(URI server, Path folder) throws IOException {
    String kubeconfig =
        """
        apiVersion: v1
        kind: Config
        current-context: test
        clusters: [{name: test, cluster: {server: "%s", insecure-skip-tls-verify: true}}]
        users: [{name: test, user: {}}]
        contexts: [{name: test, context: {cluster: test, user: test}}]
        """
            .formatted(server);
    return new Target(
        Files.writeString(folder.resolve("kubeconfig"), kubeconfig), Cluster.plaintext(server));
  }
}
