package io.watchgate.kube;

import static io.watchgate.kube.ApiserverStub.LONG;
import static io.watchgate.kube.ApiserverStub.failure;
import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.Upstream.Listed;
import io.watchgate.cache.UpstreamFailure.Transport;
import io.watchgate.pem.PemSource;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import okhttp3.Handshake;
import okhttp3.HttpUrl;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tests of the messages for a person when no request reaches an apiserver. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
final class UnreachableApiserverTest {
  private static final HeldCertificate INTERNAL =
      new HeldCertificate.Builder().addSubjectAlternativeName("kubernetes").build();

  @RegisterExtension private final ApiserverStub stub = new ApiserverStub();
  @RegisterExtension private final ApiserverStub internal = new ApiserverStub(INTERNAL);
  private final Recorder recorder = new Recorder();

  private static HttpUrl url(String scheme, String host, int port) {
    return new HttpUrl.Builder().scheme(scheme).host(host).port(port).build();
  }

  /** Returns the message of a watch and a list, which differ in nothing else. */
  private String problem(HttpUrl url, TlsOptions tls) throws ConfigException {
    try (KubeUpstream pods = stub.podsAt(url, tls)) {
      assertThat(failure(pods.watch("1", recorder))).isInstanceOf(Transport.class);
      assertThat(failure(pods.list(recorder))).isInstanceOf(Transport.class);
      return failure(pods.list(recorder)).message();
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Test
  void refusedConnection_namesAddressAndSource() throws Exception {
    HttpUrl url = url("https", "127.0.0.1", freePort());
    assertThat(problem(url, stub.trusted()))
        .isEqualTo("list pods: cannot connect to " + url + ": Connection refused (from the test)");
  }

  @Test
  void unresolvableName_isNamed() throws Exception {
    HttpUrl url = url("https", "apiserver.invalid", 6443); // RFC 2606
    assertThat(problem(url, stub.trusted()))
        .isEqualTo("list pods: the name of " + url + " cannot be resolved (from the test)");
  }

  @Test
  void certificateOfAnotherAuthority_isRejected() throws Exception {
    assertThat(problem(stub.server.url("/"), internal.trusted()))
        .startsWith("list pods: the certificate of " + stub.server.url("/") + " is not trusted (")
        .endsWith("); is certificate-authority right? (from the test)");
    assertThat(stub.server.getRequestCount()).isZero();
  }

  @Test
  void unreadableAuthority_besideValidOne_isIgnored() throws Exception {
    stub.answer(ListPage.of("1", "", 0, 0));
    PemSource right = Objects.requireNonNull(stub.trusted().authorities());
    String bundle = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n" + right.read();
    TlsOptions tls =
        new TlsOptions(TlsOptions.Verification.FULL, new PemSource.Inline(bundle), "", null);
    try (KubeUpstream pods = stub.podsAt(stub.server.url("/"), tls)) {
      assertThat(pods.list(recorder)).isEqualTo(new Listed("1"));
    }
  }

  @Test
  void skippedVerification_acceptsAnyAuthority() throws Exception {
    stub.answer(ListPage.of("1", "", 0, 1));
    TlsOptions skipped = new TlsOptions(TlsOptions.Verification.SKIPPED, null, "", null);
    try (KubeUpstream pods = stub.podsAt(stub.server.url("/"), skipped)) {
      assertThat(pods.list(recorder)).isEqualTo(new Listed("1"));
    }
  }

  @Test
  void certificateForAnotherName_errorHasTheRemedy() throws Exception {
    HttpUrl url = internal.server.url("/");
    assertThat(problem(url, internal.trusted()))
        .isEqualTo(
            "list pods: the certificate of "
                + url
                + " is for another name; if that is right, set tls-server-name (from the test)");
  }

  @Test
  void tlsServerName_isVerified() throws Exception {
    internal.answer(ListPage.of("1", "", 0, 1));
    TlsOptions named =
        new TlsOptions(
            TlsOptions.Verification.FULL, ApiserverStub.pem(INTERNAL), "kubernetes", null);
    try (KubeUpstream pods = stub.podsAt(internal.server.url("/"), named)) {
      assertThat(pods.list(recorder)).isEqualTo(new Listed("1"));
    }
  }

  @Test
  void clientCertificate_isSentAndItsAbsenceReported() throws Exception {
    internal.server.requireClientAuth(); // signed by its own certificate, to keep it short
    HttpUrl url = internal.server.url("/");
    PemSource authority = ApiserverStub.pem(INTERNAL);
    assertThat(
            problem(
                url, new TlsOptions(TlsOptions.Verification.FULL, authority, "kubernetes", null)))
        .startsWith("list pods: ")
        .contains(url.toString());
    TlsOptions.IdentitySource identity =
        new TlsOptions.IdentitySource(
            authority, new PemSource.Inline(INTERNAL.privateKeyPkcs8Pem()));
    TlsOptions identified =
        new TlsOptions(TlsOptions.Verification.FULL, authority, "kubernetes", identity);
    internal.answer(ListPage.of("1", "", 0, 1));
    try (KubeUpstream pods = stub.podsAt(url, identified)) {
      assertThat(pods.list(recorder)).isEqualTo(new Listed("1"));
    }
    assertThat(internal.request().getHandshake())
        .isNotNull()
        .extracting(Handshake::peerCertificates)
        .isEqualTo(List.of(INTERNAL.certificate()));
  }

  @Test
  void plaintextServerAtHttpsUrl_isReported() throws Exception {
    try (ServerSocket plain = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      Thread.startVirtualThread(() -> greet(plain));
      HttpUrl url = url("https", "127.0.0.1", plain.getLocalPort());
      assertThat(problem(url, stub.trusted()))
          .startsWith("list pods: TLS with " + url + " failed: ")
          .endsWith(" (from the test)");
    }
  }

  @Test
  void tlsServerAtHttpUrl_isReported() throws Exception {
    HttpUrl url = url("http", "localhost", stub.server.getPort());
    assertThat(problem(url, stub.trusted()))
        .startsWith("list pods: the connection to " + url + " broke (");
  }

  @Test
  void otherProtocol_isReported() throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      Thread.startVirtualThread(() -> greet(listener));
      HttpUrl url = url("http", "127.0.0.1", listener.getLocalPort());
      assertThat(problem(url, stub.trusted()))
          .startsWith("list pods: the connection to " + url + " broke (");
    }
  }

  private static void greet(ServerSocket listener) {
    try {
      while (true) {
        try (Socket socket = listener.accept();
            OutputStream out = socket.getOutputStream()) {
          out.write("SSH-2.0-OpenSSH_9.2\r\n".getBytes(StandardCharsets.US_ASCII));
        }
      }
    } catch (IOException e) {
      // The socket was closed.
    }
  }

  @Test
  void silentServer_timesOut() throws Exception {
    try (ServerSocket mute = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      HttpUrl url = url("https", "127.0.0.1", mute.getLocalPort());
      KubeSettings hasty = ApiserverStub.SETTINGS.withRequestTimeout(Duration.ofMillis(300));
      ClientConfig access =
          ApiserverStub.access(url, stub.trusted(), new UserCredentials.Token(ApiserverStub.TOKEN));
      try (KubeUpstream pods = stub.upstream(access, ApiserverStub.EVENTS, hasty)) {
        assertThat(failure(pods.watch("1", recorder)))
            .isEqualTo(new Transport("watch events: no answer within 300 ms"));
        assertThat(failure(pods.watchList(LONG, recorder)))
            .isEqualTo(new Transport("streaming list events: no answer within 300 ms"));
      }
    }
  }
}
