package io.watchgate.kube;

import io.watchgate.pem.CertificateBundle;
import io.watchgate.pem.PemSource;
import io.watchgate.pem.ReloadingPem;
import java.security.cert.X509Certificate;
import java.util.List;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * Where an apiserver is, how to know it, and as whom to speak to it. Comes from {@link Kubeconfig}
 * or {@link InClusterConfig}. Immutable; its text holds no secret.
 */
public final class ClientConfig {
  private final String source;
  private final HttpUrl server;
  private final @Nullable ProxyAddress proxy;
  private final TlsOptions tls;
  private final UserCredentials credentials;
  private final Impersonation impersonation;
  private final String namespace;
  private final @Nullable ReloadingPem<List<X509Certificate>> authorities;

  ClientConfig(
      String source,
      HttpUrl server,
      @Nullable ProxyAddress proxy,
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
    String what = "the certificate authority of " + source;
    this.authorities =
        signers == null
            ? null
            : new ReloadingPem<>(
                what,
                List.of(signers),
                texts -> CertificateBundle.of(texts.getFirst()).certificates(what));
  }

  /**
   * An apiserver without TLS that asks nobody who they are.
   *
   * @param hostPort {@code HOST:PORT}
   * @param source where this comes from, for a person
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

  /** Where this was read from, for a person. */
  public String source() {
    return source;
  }

  /** The URL of the apiserver. */
  public String serverUrl() {
    return server.toString();
  }

  /** The namespace that the configuration prefers, empty if it names none. */
  public String namespace() {
    return namespace;
  }

  /** Whether any server is believed to be the apiserver ({@code insecure-skip-tls-verify}). */
  public boolean unverified() {
    return tls.verification() == TlsOptions.Verification.SKIPPED;
  }

  HttpUrl server() {
    return server;
  }

  @Nullable ProxyAddress proxy() {
    return proxy;
  }

  /** The URL, and the way to it, for a person. */
  String route() {
    return proxy == null ? server.toString() : server + " through the proxy " + proxy;
  }

  TlsOptions tls() {
    return tls;
  }

  /** Whose signature the apiserver's certificate may bear; null: those that the JDK trusts. */
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
