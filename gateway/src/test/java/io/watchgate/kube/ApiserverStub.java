package io.watchgate.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Upstream;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.pem.PemSource;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import mockwebserver3.SocketEffect;
import okhttp3.HttpUrl;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Mock apiserver with scripted answers, valid or not, with TLS and HTTP/2 like a real one. Created
 * for each test, and closed after it.
 */
final class ApiserverStub implements BeforeEachCallback, AfterEachCallback {
  static final ApiResource PODS =
      new ApiResource("", "v1", "pods", "Pod", ApiResource.Scope.NAMESPACED);
  static final ApiResource EVENTS =
      new ApiResource("", "v1", "events", "Event", ApiResource.Scope.NAMESPACED);
  static final ApiResource WIDGETS =
      new ApiResource("x.io", "v1", "widgets", "Widget", ApiResource.Scope.NAMESPACED);

  /** Longer than anything takes that does not hang. */
  static final Duration LONG = Duration.ofSeconds(30);

  static final String JSON = "application/json";
  static final String TEXT = "text/plain; charset=utf-8";
  static final String HTML = "text/html";

  /** Token that must be in a header, and nowhere else. */
  static final String TOKEN = "t0ken-which-n0body-may-read";

  static final KubeSettings SETTINGS =
      KubeSettings.DEFAULT.withRequestTimeout(Duration.ofSeconds(10));

  /** A reference, since the JDK drops the level of a logger that is not referenced. */
  private static final Logger OKHTTP = Logger.getLogger("okhttp3.OkHttpClient");

  private static final HeldCertificate CERTIFICATE =
      new HeldCertificate.Builder()
          .addSubjectAlternativeName("localhost")
          .addSubjectAlternativeName("127.0.0.1")
          .build();

  private final HeldCertificate certificate;
  final MockWebServer server = new MockWebServer();
  final AtomicLong clock = new AtomicLong();
  private final ConcurrentLinkedQueue<EventStream> streams = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<ApiServer> clients = new ConcurrentLinkedQueue<>();

  ApiserverStub() {
    this(CERTIFICATE);
  }

  /** Creates a stub with this certificate, which only configured clients trust. */
  ApiserverStub(HeldCertificate certificate) {
    this.certificate = certificate;
  }

  @Override
  public void beforeEach(ExtensionContext context) throws IOException {
    // Logs a stack trace for every response that a test leaves open.
    OKHTTP.setLevel(Level.WARNING);
    server.useHttps(
        new HandshakeCertificates.Builder()
            .heldCertificate(certificate)
            .addTrustedCertificate(certificate.certificate())
            .build()
            .sslSocketFactory());
    server.start();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    streams.forEach(EventStream::end);
    clients.forEach(ApiServer::close);
    server.close();
  }

  // ---- clients

  TlsOptions trusted() {
    return new TlsOptions(TlsOptions.Verification.FULL, pem(certificate), "", null);
  }

  ClientConfig access(UserCredentials credentials) {
    return access(server.url("/"), trusted(), credentials);
  }

  static ClientConfig access(HttpUrl url, TlsOptions tls, UserCredentials credentials) {
    return new ClientConfig("from the test", url, null, tls, credentials, Impersonation.NONE, "");
  }

  static PemSource pem(HeldCertificate certificate) {
    return new PemSource.Inline(certificate.certificatePem());
  }

  KubeUpstream pods() throws ConfigException {
    return upstream(PODS, SETTINGS);
  }

  KubeUpstream upstream(ApiResource type, KubeSettings settings) throws ConfigException {
    return upstream(access(new UserCredentials.Token(TOKEN)), type, settings);
  }

  KubeUpstream upstream(ClientConfig access, ApiResource type, KubeSettings settings)
      throws ConfigException {
    ApiServer apiServer = new ApiServer(access, settings, clock::get);
    clients.add(apiServer);
    RandomGenerator random = RandomGeneratorFactory.getDefault().create(1);
    return new KubeUpstream(apiServer, apiServer.connect(), type, random);
  }

  /** Returns the upstream of pods at that URL. */
  KubeUpstream podsAt(HttpUrl url, TlsOptions tls) throws ConfigException {
    return upstream(access(url, tls, new UserCredentials.Token(TOKEN)), PODS, SETTINGS);
  }

  KubeCluster cluster(KubeSettings settings) throws ConfigException {
    return KubeCluster.of(access(new UserCredentials.Token(TOKEN)), settings, clock::get);
  }

  /** Returns the failure of a list, whose message must be fit for a log. */
  static UpstreamFailure failure(Upstream.ListOutcome outcome) {
    assertThat(outcome).isInstanceOf(Upstream.ListFailed.class);
    return told(((Upstream.ListFailed) outcome).failure());
  }

  /** Returns the failure of a watch, whose message must be fit for a log. */
  static UpstreamFailure failure(Upstream.WatchOutcome outcome) {
    return told(Optional.ofNullable(outcome.failure()).orElseThrow());
  }

  static UpstreamFailure told(UpstreamFailure failure) {
    assertThat(failure.message())
        .doesNotContain(TOKEN, "secret", "\n", "Exception", "null")
        .hasSizeBetween(10, 600);
    return failure;
  }

  // ---- answers

  void answer(int code, String type, String body) {
    server.enqueue(
        new MockResponse.Builder().code(code).setHeader("Content-Type", type).body(body).build());
  }

  void answer(String json) {
    answer(200, JSON, json);
  }

  void answer(EventStream stream) {
    streams.add(stream);
    server.enqueue(new MockResponse.Builder().setHeader("Content-Type", JSON).body(stream).build());
  }

  /** Answers, and then closes the connection with GOAWAY. */
  void answerAndTakeLeave(String json) {
    server.enqueue(
        new MockResponse.Builder()
            .body(json)
            .onResponseEnd(SocketEffect.ShutdownConnection.INSTANCE)
            .build());
  }

  /** Reads a request and never answers it. */
  void answerNothing() {
    server.enqueue(new MockResponse.Builder().headersDelay(1, TimeUnit.MINUTES).body("").build());
  }

  static String status(int code, String reason, String message) {
    return "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
        + "\"message\":\"%s\",\"reason\":\"%s\",\"code\":%d}".formatted(message, reason, code);
  }

  /** Returns the next request, which must have been made. */
  RecordedRequest request() throws InterruptedException {
    RecordedRequest request = server.takeRequest(5, TimeUnit.SECONDS);
    if (request == null) {
      throw new AssertionError("no request within 5 s");
    }
    return request;
  }
}
