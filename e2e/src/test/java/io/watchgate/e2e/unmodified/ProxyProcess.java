package io.watchgate.e2e.unmodified;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.faults.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Process of a gateway with the Kubernetes read API, over TLS, which relays writes too. */
final class ProxyProcess {
  private ProxyProcess() {}

  /**
   * Starts the process; it may not serve yet.
   *
   * @param port port of the Kubernetes read API; 0 for a free one
   * @param openTypes types that are open from the start
   */
  static Command start(Apiserver apiserver, int port, String... openTypes) {
    List<String> options = new ArrayList<>();
    options.addAll(List.of("--kube-listen", "127.0.0.1:" + port));
    options.addAll(List.of("--kube-relay-writes", "--token-review"));
    for (String type : openTypes) {
      options.addAll(List.of("--type", type));
    }
    return Command.startGateway(Command.HEAP_MIB, apiserver, options.toArray(String[]::new));
  }

  /** Returns the gateway for programs, with the credentials of the apiserver's kubeconfig. */
  static Target target(Apiserver apiserver, int port, Path folder) throws IOException {
    String kubeconfig =
        Files.readString(apiserver.kubeconfig())
            .replaceFirst("server: \\S+", "server: https://127.0.0.1:" + port)
            .replaceAll(
                "certificate-authority: (?!/)",
                "certificate-authority: " + apiserver.kubeconfig().getParent() + "/");
    return new Target(
        Files.writeString(folder.resolve("kubeconfig"), kubeconfig), apiserver.cluster());
  }
}
