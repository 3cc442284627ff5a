package io.watchgate.kube;

import io.watchgate.pem.CertificateBundle;
import io.watchgate.pem.PemException;
import io.watchgate.pem.PemSource;
import java.io.IOException;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * What a kubeconfig says of a cluster.
 *
 * @param proxy on the way to it, if any
 * @param serverName the name in its certificate, if another than that of the URL; else empty
 */
record ClusterEntry(
    HttpUrl server,
    @Nullable ProxyAddress proxy,
    TlsOptions.Verification verification,
    @Nullable PemSource authorities,
    String serverName) {

  static ClusterEntry of(ConfigSection cluster) throws ConfigException {
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
    return new ClusterEntry(
        server,
        ProxyAddress.of(cluster),
        skip ? TlsOptions.Verification.SKIPPED : TlsOptions.Verification.FULL,
        authorities,
        cluster.text("tls-server-name"));
  }

  private static HttpUrl server(ConfigSection cluster) throws ConfigException {
    String text = cluster.required("server");
    // Without a scheme kubectl assumes http; that is refused here rather than guessed.
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
