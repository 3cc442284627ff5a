package io.watchgate.kube;

import io.watchgate.pem.CertificateBundle;
import io.watchgate.pem.PemException;
import io.watchgate.pem.PemSource;
import java.io.IOException;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * Cluster entry of a kubeconfig.
 *
 * @param proxy proxy to the cluster, if any
 * @param serverName the name in the server's certificate if it differs from the URL's; else empty
 */
record KubeconfigCluster(
    HttpUrl server,
    @Nullable KubeconfigProxy proxy,
    TlsOptions.Verification verification,
    @Nullable PemSource authorities,
    String serverName) {

  static KubeconfigCluster of(KubeconfigSection cluster) throws ConfigException {
    HttpUrl server = server(cluster);
    PemSource authorities = cluster.pem("certificate-authority");
    boolean skip = cluster.flag("insecure-skip-tls-verify");
    if (authorities != null) {
      if (skip) {
        throw cluster.error(
            "has both insecure-skip-tls-verify and a certificate-authority; remove one of them");
      }
      try {
        var _ = CertificateBundle.of(authorities.read());
      } catch (IOException e) {
        throw cluster.error("certificate-authority: " + e.getMessage());
      } catch (PemException e) {
        throw cluster.error("certificate-authority " + e.getMessage());
      }
    }
    return new KubeconfigCluster(
        server,
        KubeconfigProxy.of(cluster),
        skip ? TlsOptions.Verification.SKIPPED : TlsOptions.Verification.FULL,
        authorities,
        cluster.text("tls-server-name"));
  }

  private static HttpUrl server(KubeconfigSection cluster) throws ConfigException {
    String text = cluster.required("server");
    // Without a scheme kubectl assumes http; here this is an error, not a guess.
    HttpUrl server = HttpUrl.parse(text);
    if (server == null) {
      throw cluster.error("server is not a URL such as https://10.0.0.1:6443");
    }
    if (!server.encodedUsername().isEmpty() || server.query() != null) {
      throw cluster.error("server must be scheme, host, port and path only");
    }
    return server;
  }
}
