package io.watchgate.cli;

import io.watchgate.kube.ClientConfig;
import io.watchgate.kube.ConfigException;
import java.net.URI;
import java.net.URISyntaxException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options for the apiserver behind the gateway that a command writes to. */
@OptionGroup("Apiserver to write at")
final class WriteApiserverOptions {
  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--apiserver",
      paramLabel = "URL",
      description =
          "The apiserver behind the gateway, without TLS and credentials, such as a sandbox's."
              + " Default: as --kubeconfig says.")
  private @Nullable String url;

  @Mixin private final ApiserverOptions configured = new ApiserverOptions();

  /**
   * Checks the options before any request.
   *
   * @throws ParameterException if options contradict each other
   */
  void check() {
    if (url != null && configured.isGiven()) {
      throw UsageError.of(command, "--apiserver and --kubeconfig or --context exclude each other");
    }
    if (url != null) {
      var _ = authority(url);
    }
  }

  private String authority(String text) {
    try {
      URI uri = new URI(text);
      if ("http".equals(uri.getScheme()) && uri.getAuthority() != null) {
        return uri.getAuthority();
      }
    } catch (URISyntaxException _) {
      // The same error as for another scheme.
    }
    throw UsageError.of(
        command, "--apiserver " + text + ": expected http://HOST:PORT; for https use --kubeconfig");
  }

  ClientConfig clientConfig() throws ConfigException {
    if (url != null) {
      return ClientConfig.plaintext(authority(url), "--apiserver");
    }
    try {
      return configured.clientConfig();
    } catch (ConfigException e) {
      if (configured.isGiven()) {
        throw e;
      }
      throw new ConfigException(
          e.getMessage() + ", or an apiserver without TLS with --apiserver http://HOST:PORT");
    }
  }
}
