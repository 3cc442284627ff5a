package io.watchgate.kube;

import static io.watchgate.kube.ApiserverStub.LONG;
import static io.watchgate.kube.ApiserverStub.PODS;
import static io.watchgate.kube.ApiserverStub.SETTINGS;
import static io.watchgate.kube.ApiserverStub.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.Upstream;
import io.watchgate.cache.Upstream.Listed;
import io.watchgate.cache.Upstream.WatchOutcome;
import io.watchgate.cache.UpstreamFailure.Transport;
import io.watchgate.cache.UpstreamFailure.Unauthorized;
import io.watchgate.pem.PemSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import mockwebserver3.RecordedRequest;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tests of certificates, keys and authorities that are replaced on disk while the gateway runs. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
final class RotationTest {
  private static final HeldCertificate SERVER =
      new HeldCertificate.Builder()
          .addSubjectAlternativeName("localhost")
          .addSubjectAlternativeName("127.0.0.1")
          .certificateAuthority(0)
          .build();
  private static final HeldCertificate FIRST = client("first");
  private static final HeldCertificate SECOND = client("second");

  @RegisterExtension private final ApiserverStub stub = new ApiserverStub(SERVER);
  @TempDir private Path folder;
  private final Recorder recorder = new Recorder();

  private static HeldCertificate client(String name) {
    return new HeldCertificate.Builder().commonName(name).signedBy(SERVER).build();
  }

  @BeforeEach
  void files() throws IOException {
    stub.server.requestClientAuth();
    write("ca.crt", SERVER.certificatePem());
    write("client.crt", FIRST.certificatePem());
    write("client.key", FIRST.privateKeyPkcs8Pem());
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text);
  }

  private PemSource in(String name) {
    return new PemSource.InFile(folder.resolve(name));
  }

  private KubeUpstream pods() throws ConfigException {
    TlsOptions tls =
        new TlsOptions(
            TlsOptions.Verification.FULL,
            in("ca.crt"),
            "",
            new TlsOptions.IdentitySource(in("client.crt"), in("client.key")));
    return stub.upstream(
        ApiserverStub.access(stub.server.url("/"), tls, new UserCredentials.Anonymous()),
        PODS,
        SETTINGS);
  }

  private Object list(KubeUpstream pods) {
    stub.answer(ListPage.of("1", "", 0, 0));
    return pods.list(recorder);
  }

  private static String shown(RecordedRequest request) {
    List<?> certificates = Objects.requireNonNull(request.getHandshake()).peerCertificates();
    return ((X509Certificate) certificates.getFirst()).getSubjectX500Principal().getName();
  }

  @Test
  void renewedClientCertificate_isUsedByNextRequest() throws Exception {
    try (KubeUpstream pods = pods()) {
      assertThat(list(pods)).isEqualTo(new Listed("1"));
      assertThat(list(pods)).isEqualTo(new Listed("1"));
      RecordedRequest first = stub.request();
      assertThat(shown(first)).isEqualTo("CN=first");
      assertThat(stub.request().getConnectionIndex()).isEqualTo(first.getConnectionIndex());
      write("client.crt", SECOND.certificatePem());
      write("client.key", SECOND.privateKeyPkcs8Pem());
      assertThat(list(pods)).isEqualTo(new Listed("1"));
      RecordedRequest second = stub.request();
      assertThat(shown(second)).isEqualTo("CN=second");
      assertThat(second.getConnectionIndex()).isNotEqualTo(first.getConnectionIndex());
    }
  }

  @Test
  void certificateWithoutNewKey_isNotUsed() throws Exception {
    try (KubeUpstream pods = pods()) {
      write("client.crt", SECOND.certificatePem());
      assertThat(list(pods)).isEqualTo(new Listed("1"));
      assertThat(shown(stub.request())).isEqualTo("CN=first");
      Files.delete(folder.resolve("client.key"));
      assertThat(list(pods)).isEqualTo(new Listed("1"));
      assertThat(shown(stub.request())).isEqualTo("CN=first");
      write("client.key", SECOND.privateKeyPkcs8Pem());
      assertThat(list(pods)).isEqualTo(new Listed("1"));
      assertThat(shown(stub.request())).isEqualTo("CN=second");
    }
  }

  @Test
  void renewedCertificate_keepsOpenWatch() throws Exception {
    EventStream stream = new EventStream();
    stub.answer(stream.frame("ADDED", "{}"));
    try (KubeUpstream pods = pods()) {
      CompletableFuture<WatchOutcome> watch =
          BackgroundWatch.start(() -> pods.watch("1", recorder));
      await().until(() -> recorder.seen.size() == 1);
      write("client.crt", SECOND.certificatePem());
      write("client.key", SECOND.privateKeyPkcs8Pem());
      assertThat(list(pods)).isEqualTo(new Listed("1"));
      stream.frame("ADDED", "{}");
      await().until(() -> recorder.seen.size() == 2);
      stream.end();
      assertThat(watch).succeedsWithin(LONG).isEqualTo(new WatchOutcome(null, Upstream.End.EARLY));
      assertThat(list(pods)).isEqualTo(new Listed("1"));
    }
    assertThat(shown(stub.request())).isEqualTo("CN=first");
    RecordedRequest beside = stub.request();
    assertThat(shown(beside)).isEqualTo("CN=second");
    assertThat(shown(stub.request())).isEqualTo("CN=second");
  }

  @Test
  void renewedAuthority_verifiesNextConnection() throws Exception {
    try (KubeUpstream pods = pods()) {
      assertThat(list(pods)).isEqualTo(new Listed("1"));
      write("ca.crt", "being written");
      assertThat(list(pods)).isEqualTo(new Listed("1"));
      HeldCertificate other = new HeldCertificate.Builder().certificateAuthority(0).build();
      write("ca.crt", other.certificatePem());
      assertThat(failure(pods.list(recorder)))
          .isInstanceOf(Transport.class)
          .extracting(failure -> failure.message())
          .asString()
          .contains("is not trusted");
      write("ca.crt", other.certificatePem() + SERVER.certificatePem());
      assertThat(list(pods)).isEqualTo(new Listed("1"));
    }
  }

  @Test
  void podAuthority_isReloaded() throws Exception {
    write("token", ApiserverStub.TOKEN);
    ClientConfig pod =
        InClusterConfig.load(
            Map.of(
                "KUBERNETES_SERVICE_HOST",
                "127.0.0.1",
                "KUBERNETES_SERVICE_PORT",
                Integer.toString(stub.server.getPort())),
            folder);
    try (KubeUpstream pods = stub.upstream(pod, PODS, SETTINGS)) {
      assertThat(list(pods)).isEqualTo(new Listed("1"));
      write("ca.crt", FIRST.certificatePem());
      assertThat(failure(pods.list(recorder)).message()).contains("is not trusted");
    }
  }

  private KubeUpstream podsAsToldBy(PluginScript plugin) throws ConfigException {
    TlsOptions tls = new TlsOptions(TlsOptions.Verification.FULL, in("ca.crt"), "", null);
    return stub.upstream(
        ApiserverStub.access(
            stub.server.url("/"), tls, new UserCredentials.Plugin(plugin.plugin())),
        PODS,
        SETTINGS);
  }

  @Test
  void rejectedPluginToken_isReplaced() throws Exception {
    PluginScript plugin =
        new PluginScript(folder).prints(PluginScript.credential("\"token\":\"first\""));
    try (KubeUpstream pods = podsAsToldBy(plugin)) {
      assertThat(list(pods)).isEqualTo(new Listed("1"));
      plugin.prints(PluginScript.credential("\"token\":\"second\""));
      assertThat(list(pods)).isEqualTo(new Listed("1"));
      stub.answer(401, ApiserverStub.JSON, ApiserverStub.status(401, "Unauthorized", "no"));
      assertThat(failure(pods.list(recorder))).isInstanceOf(Unauthorized.class);
      assertThat(list(pods)).isEqualTo(new Listed("1"));
    }
    for (String token : List.of("first", "first", "first", "second")) {
      assertThat(stub.request().getHeaders().get("Authorization")).isEqualTo("Bearer " + token);
    }
    assertThat(plugin.runs()).isEqualTo(2);
  }

  @Test
  void pluginCertificate_isUsedAndReplaced() throws Exception {
    PluginScript plugin = new PluginScript(folder).prints(PluginScript.certificate(FIRST));
    try (KubeUpstream pods = podsAsToldBy(plugin)) {
      stub.answer(401, ApiserverStub.JSON, ApiserverStub.status(401, "Unauthorized", "no"));
      assertThat(failure(pods.list(recorder))).isInstanceOf(Unauthorized.class);
      plugin.prints(PluginScript.certificate(SECOND));
      assertThat(list(pods)).isEqualTo(new Listed("1"));
    }
    assertThat(shown(stub.request())).isEqualTo("CN=first");
    assertThat(shown(stub.request())).isEqualTo("CN=second");
  }

  @Test
  void failingPlugin_isUnauthorized() throws Exception {
    PluginScript plugin = new PluginScript(folder).does("exit 4");
    try (KubeUpstream pods = podsAsToldBy(plugin)) {
      assertThat(failure(pods.list(recorder)))
          .isEqualTo(
              new Unauthorized(
                  "list pods: config: user \"u\": exec plugin sh: it ended with exit code 4 and"
                      + " said nothing on stderr; run it by hand to see why"));
    }
    assertThat(stub.server.getRequestCount()).isZero();
  }

  @Test
  void missingFiles_areNamed() throws IOException {
    Files.delete(folder.resolve("client.crt"));
    assertThatThrownBy(this::pods)
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "the client certificate of from the test: cannot read "
                + folder.resolve("client.crt")
                + ": there is no such file");
  }
}
