package io.watchgate.kube;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Loader of client configurations from one or several kubeconfig files. */
public final class Kubeconfig {
  private static final Pattern SEPARATOR = Pattern.compile(Pattern.quote(File.pathSeparator));

  private static final Pattern LOOPBACK =
      Pattern.compile("localhost|127(\\.[0-9]{1,3}){3}|\\[?::1]?");

  private Kubeconfig() {}

  /**
   * Returns the configuration of a context of a file. Files to which it refers are read too.
   *
   * @param context empty for the file's current context
   */
  public static ClientConfig load(Path file, String context) throws ConfigException {
    return access(MergedKubeconfig.of(file), context);
  }

  /**
   * Returns the configuration of a context of several files, merged as kubectl does. An entry is
   * taken from the first file that has it, as is the current context. Missing files are ignored.
   * Relative paths refer to the folder of the file that contains them.
   *
   * @param variable value of the environment variable KUBECONFIG: files, separated by the system's
   *     path separator
   * @param context empty for the current one
   */
  public static ClientConfig loadAll(String variable, String context) throws ConfigException {
    List<Path> files =
        SEPARATOR.splitAsStream(variable).filter(name -> !name.isEmpty()).map(Path::of).toList();
    return access(MergedKubeconfig.of(files), context);
  }

  private static ClientConfig access(MergedKubeconfig entries, String named)
      throws ConfigException {
    KubeconfigSection context = entries.context(named);
    KubeconfigSection clusterSection = entries.cluster(context.required("cluster"), context);
    String userName = context.text("user");
    KubeconfigSection userSection =
        userName.isEmpty()
            ? new KubeconfigSection(context.file(), context.location(), Map.of())
            : entries.user(userName, context);
    KubeconfigCluster cluster = KubeconfigCluster.of(clusterSection);
    KubeconfigUser user = KubeconfigUser.of(userSection, clusterSection, cluster);
    if (!cluster.server().isHttps()
        && !(user.credentials() instanceof UserCredentials.Anonymous)
        && !isLocal(cluster)) {
      throw clusterSection.error(
          "server is plain http, over which the token or password of "
              + userSection.location()
              + " would be sent unprotected; use https");
    }
    return new ClientConfig(
        context.location(),
        cluster.server(),
        cluster.proxy(),
        new TlsOptions(
            cluster.verification(), cluster.authorities(), cluster.serverName(), user.identity()),
        user.credentials(),
        user.impersonation(),
        context.text("namespace"));
  }

  /** Returns whether nothing of a request leaves this machine unprotected. */
  private static boolean isLocal(KubeconfigCluster cluster) {
    KubeconfigProxy proxy = cluster.proxy();
    return isLoopback(cluster.server().host()) && (proxy == null || isLoopback(proxy.host()));
  }

  private static boolean isLoopback(String host) {
    return LOOPBACK.matcher(host).matches();
  }
}
