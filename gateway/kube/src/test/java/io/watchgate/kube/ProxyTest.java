package io.watchgate.kube;

import static io.watchgate.kube.ApiserverStub.PODS;
import static io.watchgate.kube.ApiserverStub.SETTINGS;
import static io.watchgate.kube.ApiserverStub.failure;
import static io.watchgate.kube.ApiserverStub.pem;
import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.Upstream.Listed;
import io.watchgate.cache.UpstreamFailure.Transport;
import java.net.InetAddress;
import java.net.ServerSocket;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import okhttp3.HttpUrl;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests with a proxy to the apiserver, which alone can resolve its name. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
final class ProxyTest {
  private static final HeldCertificate APISERVER =
      new HeldCertificate.Builder()
          .addSubjectAlternativeName("apiserver.invalid")
          .addSubjectAlternativeName("localhost")
          .build();

  /** The apiserver; in tests of an HTTP proxy, the same server is the proxy as well. */
  @RegisterExtension private final ApiserverStub stub = new ApiserverStub(APISERVER);

  private final MockWebServer proxy = new MockWebServer();
  private final Recorder recorder = new Recorder();

  @AfterEach
  void stop() {
    proxy.close();
  }

  private KubeUpstream pods(String server, KubeconfigProxy way) throws ConfigException {
    TlsOptions tls = new TlsOptions(TlsOptions.Verification.FULL, pem(APISERVER), "", null);
    ClientConfig access =
        new ClientConfig(
            "from the test",
            HttpUrl.get(server),
            way,
            tls,
            new UserCredentials.Token(ApiserverStub.TOKEN),
            Impersonation.NONE,
            "");
    return stub.upstream(access, PODS, SETTINGS);
  }

  private static KubeconfigProxy at(KubeconfigProxy.Kind kind, int port) {
    return new KubeconfigProxy(kind, "localhost", port, "ann", "secret");
  }

  // ---- SOCKS5

  @Test
  void socksProxy_resolvesNameAndGetsCredentials() throws Exception {
    stub.answer(ListPage.of("1", "", 0, 0));
    try (SocksStub socks = new SocksStub(stub.server.getPort(), "ann:secret", 0);
        KubeUpstream pods =
            pods("https://apiserver.invalid", at(KubeconfigProxy.Kind.SOCKS5, socks.port()))) {
      assertThat(pods.list(recorder)).isEqualTo(new Listed("1"));
      assertThat(socks.asked()).containsExactly("apiserver.invalid:443");
    }
    RecordedRequest request = stub.request();
    assertThat(request.getVersion()).isEqualTo("HTTP/2");
    assertThat(request.getUrl().host()).isEqualTo("apiserver.invalid");
  }

  @Test
  void socksProxy_withoutCredentials_getsAddress() throws Exception {
    try (OneLineServer plain = new OneLineServer();
        SocksStub socks = new SocksStub(plain.url().port(), "", 0);
        KubeUpstream pods =
            pods(
                "http://10.1.2.3:8080",
                new KubeconfigProxy(
                    KubeconfigProxy.Kind.SOCKS5, "localhost", socks.port(), "", ""))) {
      assertThat(pods.list(recorder)).isEqualTo(new Listed("7"));
      assertThat(socks.asked()).containsExactly("10.1.2.3:8080");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bob:other | 0 | refuses the user and password",
        "ann:secret | 4 | cannot connect: host unreachable",
        "ann:secret | 99 | cannot connect: reply 99",
      })
  void socksProxyFailure_hasItsReason(String wanted, int reply, String problem) throws Exception {
    try (SocksStub socks = new SocksStub(stub.server.getPort(), wanted, reply);
        KubeUpstream pods =
            pods("https://apiserver.invalid", at(KubeconfigProxy.Kind.SOCKS5, socks.port()))) {
      String way = "socks5://localhost:" + socks.port();
      assertThat(failure(pods.list(recorder)))
          .isEqualTo(
              new Transport(
                  "list pods: the connection to https://apiserver.invalid/ through the proxy "
                      + way
                      + " broke (the proxy "
                      + way
                      + " "
                      + problem
                      + ")"));
    }
  }

  @Test
  void socksProxy_missingCredentials_isReported() throws Exception {
    try (SocksStub socks = new SocksStub(stub.server.getPort(), "ann:secret", 0);
        KubeUpstream pods =
            pods(
                "https://apiserver.invalid",
                new KubeconfigProxy(
                    KubeconfigProxy.Kind.SOCKS5, "localhost", socks.port(), "", ""))) {
      assertThat(failure(pods.list(recorder)).message())
          .contains("wants credentials; proxy-url names none");
    }
  }

  // ---- HTTP

  /**
   * Opens a tunnel once it has received the credentials: to this server itself, with another TLS
   * certificate.
   */
  private void tunnels(HandshakeCertificates certificates) throws Exception {
    proxy.useHttps(certificates.sslSocketFactory());
    proxy.enqueue(new MockResponse.Builder().inTunnel().build());
    proxy.enqueue(new MockResponse.Builder().body(ListPage.of("1", "", 0, 0)).build());
    proxy.start();
  }

  @Test
  void httpProxy_opensTunnelWithCredentials() throws Exception {
    tunnels(new HandshakeCertificates.Builder().heldCertificate(APISERVER).build());
    try (KubeUpstream pods =
        pods("https://apiserver.invalid:6443", at(KubeconfigProxy.Kind.HTTP, proxy.getPort()))) {
      assertThat(pods.list(recorder)).isEqualTo(new Listed("1"));
    }
    RecordedRequest connect = proxy.takeRequest();
    assertThat(connect.getRequestLine()).startsWith("CONNECT apiserver.invalid:6443");
    assertThat(connect.getHeaders().get("Proxy-Authorization"))
        .isEqualTo(okhttp3.Credentials.basic("ann", "secret"));
    assertThat(connect.getHeaders().get("Authorization")).isNull();
    RecordedRequest list = proxy.takeRequest();
    assertThat(list.getHeaders().get("Authorization")).isEqualTo("Bearer " + ApiserverStub.TOKEN);
    assertThat(list.getHeaders().get("Proxy-Authorization")).isNull();
  }

  /** Returns a listener that speaks TLS with that certificate in front of the proxy. */
  private BlackHole tlsBeforeTheProxy(HeldCertificate certificate) throws Exception {
    return new BlackHole(
        proxy.getPort(),
        new HandshakeCertificates.Builder()
            .heldCertificate(certificate)
            .build()
            .sslContext()
            .getServerSocketFactory()
            .createServerSocket(0, 50, InetAddress.getLoopbackAddress()));
  }

  @Test
  void httpsProxy_isReachedOverTls() throws Exception {
    tunnels(new HandshakeCertificates.Builder().heldCertificate(APISERVER).build());
    try (BlackHole tls = tlsBeforeTheProxy(APISERVER);
        KubeUpstream pods =
            pods("https://apiserver.invalid", at(KubeconfigProxy.Kind.HTTPS, tls.port()))) {
      assertThat(pods.list(recorder)).isEqualTo(new Listed("1"));
    }
    assertThat(proxy.takeRequest().getHeaders().get("Proxy-Authorization"))
        .isEqualTo(okhttp3.Credentials.basic("ann", "secret"));
    assertThat(proxy.takeRequest().getVersion()).isEqualTo("HTTP/2");
  }

  @Test
  void httpsProxy_isVerified() throws Exception {
    proxy.start();
    HeldCertificate stranger =
        new HeldCertificate.Builder().addSubjectAlternativeName("localhost").build();
    try (BlackHole tls = tlsBeforeTheProxy(stranger);
        KubeUpstream pods =
            pods("https://apiserver.invalid", at(KubeconfigProxy.Kind.HTTPS, tls.port()))) {
      assertThat(failure(pods.list(recorder)).message())
          .contains("through the proxy https://localhost:" + tls.port() + " is not trusted");
    }
    try (BlackHole tls = tlsBeforeTheProxy(APISERVER);
        KubeUpstream pods =
            pods(
                "https://apiserver.invalid",
                new KubeconfigProxy(KubeconfigProxy.Kind.HTTPS, "127.0.0.1", tls.port(), "", ""))) {
      assertThat(failure(pods.list(recorder)).message()).contains("is not trusted");
    }
    assertThat(proxy.getRequestCount()).isZero();
  }

  @Test
  void rejectedProxyCredentials_areReported() throws Exception {
    proxy.enqueue(new MockResponse.Builder().code(407).build());
    proxy.start();
    KubeconfigProxy way = at(KubeconfigProxy.Kind.HTTP, proxy.getPort());
    try (KubeUpstream pods = pods("https://apiserver.invalid", way)) {
      assertThat(failure(pods.list(recorder)).message())
          .isEqualTo(
              "list pods: the connection to https://apiserver.invalid/ through the proxy "
                  + way
                  + " broke (Failed to authenticate with proxy)");
    }
  }

  @Test
  void plaintextServer_isProxiedByAbsoluteUrl() throws Exception {
    proxy.enqueue(new MockResponse.Builder().code(407).build());
    proxy.enqueue(new MockResponse.Builder().body(ListPage.of("1", "", 0, 0)).build());
    proxy.start();
    try (KubeUpstream pods =
        pods("http://localhost:1", at(KubeconfigProxy.Kind.HTTP, proxy.getPort()))) {
      assertThat(pods.list(recorder)).isEqualTo(new Listed("1"));
    }
    assertThat(proxy.takeRequest().getRequestLine())
        .startsWith("GET http://localhost:1/api/v1/pods");
    assertThat(proxy.takeRequest().getHeaders().get("Proxy-Authorization"))
        .isEqualTo(okhttp3.Credentials.basic("ann", "secret"));
  }

  // ---- unreachable

  @ParameterizedTest
  @EnumSource
  void missingProxy_isNamed(KubeconfigProxy.Kind kind) throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    KubeconfigProxy way = at(kind, port);
    try (KubeUpstream pods = pods("https://apiserver.invalid", way)) {
      assertThat(failure(pods.list(recorder)).message())
          .isEqualTo(
              "list pods: cannot connect to https://apiserver.invalid/ through the proxy "
                  + way
                  + ": Connection refused (from the test)");
    }
    KubeconfigProxy unknown = new KubeconfigProxy(kind, "proxy.invalid", port, "", "");
    try (KubeUpstream pods = pods("https://apiserver.invalid", unknown)) {
      assertThat(failure(pods.list(recorder)).message())
          .isEqualTo("list pods: the name of " + unknown + " cannot be resolved (from the test)");
    }
  }
}
