package io.watchgate.cli;

import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that present the identity of a kubeconfig's user to the gateway. */
@OptionGroup("Identity from a kubeconfig")
final class KubeconfigOptions {
  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description =
          "Present the user of this kubeconfig to the gateway: a token, an exec plugin's token or a"
              + " client certificate. Needs --tls or --tls-ca unless the gateway is on this"
              + " machine. The address in it is not used. The gateway accepts a token"
              + " for one of 'serve --token-audience': a service account's token names its"
              + " audiences ('aud'), all other tokens are for those of the apiserver's"
              + " --api-audiences. Default: WATCHGATE_KUBECONFIG.")
  private @Nullable Path kubeconfig;

  @Option(
      names = {"--context", "--kube-context"},
      paramLabel = "NAME",
      description =
          "The kubeconfig context, of --kubeconfig. Default: WATCHGATE_KUBE_CONTEXT, else its"
              + " current one.")
  private @Nullable String context;

  Optional<Path> kubeconfig() {
    return Optional.ofNullable(kubeconfig);
  }

  Optional<String> context() {
    return Optional.ofNullable(context);
  }
}
