package io.watchgate.kube;

import io.watchgate.pem.CertificateBundle;
import io.watchgate.pem.FileErrors;
import io.watchgate.pem.PemException;
import io.watchgate.pem.PemSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import okhttp3.HttpUrl;

/** Client configuration of a pod: its service account. */
public final class InClusterConfig {
  /** Folder with the token, the CA and the namespace of a pod. */
  public static final Path SERVICE_ACCOUNT =
      Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

  private static final String HOST = "KUBERNETES_SERVICE_HOST";
  private static final String PORT = "KUBERNETES_SERVICE_PORT";

  private InClusterConfig() {}

  /**
   * Reads the configuration.
   *
   * @param environment {@link System#getenv()}
   * @param directory {@link #SERVICE_ACCOUNT}
   */
  public static ClientConfig load(Map<String, String> environment, Path directory)
      throws ConfigException {
    String host = environment.getOrDefault(HOST, "");
    String port = environment.getOrDefault(PORT, "");
    if (host.isEmpty() || port.isEmpty()) {
      throw new ConfigException(
          HOST
              + " and "
              + PORT
              + " are not set, so this is not a pod; name a kubeconfig with --kubeconfig");
    }
    HttpUrl server =
        HttpUrl.parse("https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port);
    if (server == null) {
      throw new ConfigException(HOST + " and " + PORT + " are not a host and a port");
    }
    Path token = directory.resolve("token");
    try {
      TokenFileSource.read(token);
    } catch (IOException e) {
      throw new ConfigException(
          "service account: "
              + e.getMessage()
              + "; is automountServiceAccountToken off for this pod?");
    }
    return new ClientConfig(
        "service account in " + directory,
        server,
        null,
        new TlsOptions(
            TlsOptions.Verification.FULL, authorities(directory.resolve("ca.crt")), "", null),
        new UserCredentials.TokenFile(token),
        Impersonation.NONE,
        namespace(directory.resolve("namespace")));
  }

  private static PemSource authorities(Path file) throws ConfigException {
    PemSource source = new PemSource.InFile(file);
    try {
      var _ = CertificateBundle.of(source.read());
    } catch (IOException e) {
      throw new ConfigException("service account: " + e.getMessage());
    } catch (PemException e) {
      throw new ConfigException("service account: " + file + " " + e.getMessage());
    }
    return source;
  }

  private static String namespace(Path file) throws ConfigException {
    try {
      return Files.exists(file) ? Files.readString(file).strip() : "";
    } catch (IOException e) {
      throw new ConfigException(
          "service account: cannot read " + file + ": " + FileErrors.reason(e));
    }
  }
}
