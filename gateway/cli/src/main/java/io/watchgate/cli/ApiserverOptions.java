package io.watchgate.cli;

import io.watchgate.kube.ClientConfig;
import io.watchgate.kube.ConfigException;
import io.watchgate.kube.InClusterConfig;
import io.watchgate.kube.Kubeconfig;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that select the apiserver behind the gateway. */
@OptionGroup("Connection to an apiserver")
final class ApiserverOptions {
  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description =
          "Kubeconfig of the apiserver. Default: the files that KUBECONFIG names, merged as kubectl"
              + " does, else the pod's service account when in a cluster, else ~/.kube/config.")
  private @Nullable Path kubeconfig;

  @Option(
      names = "--context",
      paramLabel = "NAME",
      defaultValue = "",
      description = "The kubeconfig context. Default: the current one of the kubeconfig.")
  private String context = "";

  /** Returns whether any of these options was given. */
  boolean isGiven() {
    return kubeconfig != null || !context.isEmpty();
  }

  ClientConfig clientConfig() throws ConfigException {
    return clientConfig(Optional.ofNullable(kubeconfig), context);
  }

  /**
   * Returns the configuration that a gateway uses.
   *
   * @param kubeconfig empty for the default
   * @param context empty for the current one
   */
  static ClientConfig clientConfig(Optional<Path> kubeconfig, String context)
      throws ConfigException {
    if (kubeconfig.isPresent()) {
      return Kubeconfig.load(kubeconfig.get(), context);
    }
    String named = System.getenv().getOrDefault("KUBECONFIG", "");
    if (!named.isEmpty()) {
      return Kubeconfig.loadAll(named, context);
    }
    return System.getenv("KUBERNETES_SERVICE_HOST") != null
        ? InClusterConfig.load(System.getenv(), InClusterConfig.SERVICE_ACCOUNT)
        : Kubeconfig.load(Path.of(System.getProperty("user.home"), ".kube", "config"), context);
  }
}
