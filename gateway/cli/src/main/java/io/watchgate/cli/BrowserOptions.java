package io.watchgate.cli;

import io.watchgate.browser.BrowserSettings;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options of watches from browsers, which the server of the Kubernetes read API serves. */
@OptionGroup("Browsers")
final class BrowserOptions {
  private static final int MAX_STREAMS = 1_000_000;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--allowed-origin",
      paramLabel = "ORIGIN",
      description =
          "With --kube-listen, let pages of this origin watch, too:"
              + " https://dashboard.example:8443; may be given again. Default: only pages of the"
              + " gateway's own address, or of a proxy before it.")
  private List<String> origins = List.of();

  @Option(
      names = "--max-browser-streams",
      paramLabel = "COUNT",
      defaultValue = "" + BrowserSettings.DEFAULT_MAX_STREAMS,
      description =
          "Maximum number of open streams of /v1/watch and calls of gRPC-Web, 1 to 1000000, besides"
              + " --max-streams, which counts them, too. Default: ${DEFAULT-VALUE}.")
  private int maxStreams;

  /**
   * Returns the settings.
   *
   * @throws picocli.CommandLine.ParameterException if a value cannot be used
   */
  BrowserSettings settings() {
    Set<String> allowed = new TreeSet<>();
    origins.forEach(origin -> allowed.add(origin(origin)));
    return BrowserSettings.DEFAULTS
        .withOrigins(allowed)
        .withMaxStreams(
            UsageError.requireInRange(
                command, "--max-browser-streams", maxStreams, 1, MAX_STREAMS));
  }

  /** Refuses options that have no effect, because nothing serves browsers. */
  void requireUnused() {
    if (!origins.isEmpty()) {
      throw UsageError.of(command, "--allowed-origin needs --kube-listen");
    }
  }

  /** Returns the origin as browsers send it. */
  private String origin(String typed) {
    if (typed.contains("*")) {
      throw UsageError.of(
          command, "--allowed-origin " + typed + ": name each origin; there is no origin for all");
    }
    String origin = typed.toLowerCase(Locale.ROOT);
    try {
      URI uri = new URI(origin);
      if (("https".equals(uri.getScheme()) || "http".equals(uri.getScheme()))
          && uri.getHost() != null
          && origin.equals(uri.getScheme() + "://" + uri.getAuthority())
          && uri.getUserInfo() == null) {
        return origin;
      }
    } catch (URISyntaxException e) {
      // the same message
    }
    throw UsageError.of(
        command,
        "--allowed-origin "
            + typed
            + ": an origin is a scheme, a host and perhaps a port, without a path, such as"
            + " https://dashboard.example:8443");
  }
}
