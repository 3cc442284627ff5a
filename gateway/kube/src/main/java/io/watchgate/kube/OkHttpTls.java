package io.watchgate.kube;

import io.watchgate.pem.CertificateAndKey;
import io.watchgate.pem.Pem;
import io.watchgate.pem.UncheckedTrustManager;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/** TLS configuration of an OkHttp client by {@link TlsOptions}. */
final class OkHttpTls {
  private OkHttpTls() {}

  /**
   * TLS material of new connections at one moment.
   *
   * @param authorities empty: the JDK's
   * @param identity the client's certificate and key, if any
   */
  record Material(List<X509Certificate> authorities, @Nullable CertificateAndKey identity) {}

  static void apply(
      ClientConfig access, Duration probes, Material material, OkHttpClient.Builder client)
      throws GeneralSecurityException {
    TlsOptions tls = access.tls();
    X509TrustManager trust =
        tls.verification() == TlsOptions.Verification.SKIPPED
            ? new UncheckedTrustManager()
            : trust(material.authorities());
    SSLContext context = SSLContext.getInstance("TLS");
    CertificateAndKey identity = material.identity();
    KeyManager[] keys = identity == null ? null : identity.keyManagers();
    context.init(keys, new TrustManager[] {trust}, new SecureRandom());
    SSLSocketFactory sockets = context.getSocketFactory();
    if (!tls.serverName().isEmpty()) {
      sockets = new Named(sockets, tls.serverName());
      HostnameVerifier verifier = new OkHttpClient().hostnameVerifier();
      client.hostnameVerifier((host, session) -> verifier.verify(tls.serverName(), session));
    }
    if (tls.verification() == TlsOptions.Verification.SKIPPED) {
      client.hostnameVerifier((host, session) -> true);
    }
    client.sslSocketFactory(sockets, trust);
    if (access.proxy() != null && access.proxy().kind() == KubeconfigProxy.Kind.HTTPS) {
      SSLSocketFactory toProxy = context.getSocketFactory();
      // The JDK makes these sockets: they have no window.
      client.socketFactory(new KeepAliveSocketFactory(_ -> toProxy(toProxy, tls), probes));
    }
  }

  /**
   * Returns a TLS socket to the proxy: OkHttp does not speak TLS to a proxy, but works over a
   * socket that does. As in kubectl, the cluster's authorities verify the proxy.
   */
  private static Socket toProxy(SSLSocketFactory sockets, TlsOptions tls) throws IOException {
    SSLSocket socket = (SSLSocket) sockets.createSocket();
    if (tls.verification() == TlsOptions.Verification.FULL) {
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      socket.setSSLParameters(parameters);
    }
    return socket;
  }

  private static X509TrustManager trust(List<X509Certificate> authorities)
      throws GeneralSecurityException {
    return authorities.isEmpty() ? Pem.trustingAsJvm() : Pem.trusting(authorities);
  }

  /** Factory of sockets that verify another server name ({@code tls-server-name}). */
  private static final class Named extends SSLSocketFactory {
    private final SSLSocketFactory delegate;
    private final String name;

    Named(SSLSocketFactory delegate, String name) {
      this.delegate = delegate;
      this.name = name;
    }

    /** Returns a connected socket; the only method that OkHttp calls. */
    @Override
    public Socket createSocket(Socket socket, String host, int port, boolean autoClose)
        throws IOException {
      return delegate.createSocket(socket, name, port, autoClose);
    }

    @Override
    public Socket createSocket(String host, int port) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
      throw new UnsupportedOperationException();
    }

    @Override
    public String[] getDefaultCipherSuites() {
      return delegate.getDefaultCipherSuites();
    }

    @Override
    public String[] getSupportedCipherSuites() {
      return delegate.getSupportedCipherSuites();
    }
  }
}
