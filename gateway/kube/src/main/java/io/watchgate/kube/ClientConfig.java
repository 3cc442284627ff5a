package io.watchgate.kube;

import io.watchgate.pem.CertificateBundle;
import io.watchgate.pem.PemSource;
import io.watchgate.pem.ReloadingPem;
import java.security.cert.X509Certificate;
import java.util.List;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of a client: the address of an apiserver, its authorities, and the client's
 * credentials. Loaded by {@link Kubeconfig} or {@link InClusterConfig}. Immutable; its text
 * contains no secret.
 */
public final class ClientConfig {
  private final String source;
  private final HttpUrl server;
  private final @Nullable KubeconfigProxy proxy;
  private final TlsOptions tls;
  private final UserCredentials credentials;
  private final Impersonation impersonation;
  private final String namespace;
  private final @Nullable ReloadingPem<List<X509Certificate>> authorities;

  ClientConfig(
      String source,
      HttpUrl server,
      @Nullable KubeconfigProxy proxy,
      TlsOptions tls,
      UserCredentials credentials,
      Impersonation impersonation,
      String namespace) {
    this.source = source;
    this.server = server;
    this.proxy = proxy;
    this.tls = tls;
    this.credentials = credentials;
    this.impersonation = impersonation;
    this.namespace = namespace;
    PemSource signers = tls.authorities();
    String description = "the CA of " + source;
    this.authorities =
        signers == null
            ? null
            : new ReloadingPem<>(
                description,
                List.of(signers),
                texts -> CertificateBundle.of(texts.getFirst()).certificates(description));
  }

  /**
   * Returns the configuration of an apiserver without TLS and authentication.
   *
   * @param hostPort {@code HOST:PORT}
   * @param source origin of the configuration, for a person
   */
  public static ClientConfig plaintext(String hostPort, String source) {
    return new ClientConfig(
        source,
        HttpUrl.get("http://" + hostPort),
        null,
        new TlsOptions(TlsOptions.Verification.FULL, null, "", null),
        new UserCredentials.Anonymous(),
        Impersonation.NONE,
        "");
  }

  /** Returns the same apiserver and the same way to it, without credentials. */
  ClientConfig withoutCredentials() {
    return new ClientConfig(
        source,
        server,
        proxy,
        new TlsOptions(tls.verification(), tls.authorities(), tls.serverName(), null),
        new UserCredentials.Anonymous(),
        Impersonation.NONE,
        namespace);
  }

  /** Returns the origin of the configuration, for a person. */
  public String source() {
    return source;
  }

  /** Returns the URL of the apiserver. */
  public String serverUrl() {
    return server.toString();
  }

  /** Returns the default namespace, empty if there is none. */
  public String namespace() {
    return namespace;
  }

  /**
   * Returns whether the apiserver's certificate is not verified ({@code insecure-skip-tls-verify}).
   */
  public boolean isUnverified() {
    return tls.verification() == TlsOptions.Verification.SKIPPED;
  }

  /**
   * Returns the name that the apiserver's certificate must have: {@code tls-server-name}, else the
   * host of the URL.
   */
  public String tlsServerName() {
    return tls.serverName().isEmpty() ? server.host() : tls.serverName();
  }

  /** Returns whether the apiserver is reached through a proxy ({@code proxy-url}). */
  public boolean isProxied() {
    return proxy != null;
  }

  HttpUrl server() {
    return server;
  }

  @Nullable KubeconfigProxy proxy() {
    return proxy;
  }

  /** Returns the URL and the proxy, for a person. */
  String route() {
    return proxy == null ? server.toString() : server + " through the proxy " + proxy;
  }

  TlsOptions tls() {
    return tls;
  }

  /** Returns the authorities that may sign the apiserver's certificate; null: the JDK's. */
  @Nullable ReloadingPem<List<X509Certificate>> authorities() {
    return authorities;
  }

  UserCredentials credentials() {
    return credentials;
  }

  Impersonation impersonation() {
    return impersonation;
  }

  @Override
  public String toString() {
    return server + " (" + source + ")";
  }
}
