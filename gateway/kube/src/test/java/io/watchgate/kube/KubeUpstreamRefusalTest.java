package io.watchgate.kube;

import static io.watchgate.kube.ApiserverStub.HTML;
import static io.watchgate.kube.ApiserverStub.JSON;
import static io.watchgate.kube.ApiserverStub.LONG;
import static io.watchgate.kube.ApiserverStub.PODS;
import static io.watchgate.kube.ApiserverStub.SETTINGS;
import static io.watchgate.kube.ApiserverStub.TEXT;
import static io.watchgate.kube.ApiserverStub.failure;
import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.Upstream.Listed;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.cache.UpstreamFailure.BadRequest;
import io.watchgate.cache.UpstreamFailure.Expired;
import io.watchgate.cache.UpstreamFailure.Forbidden;
import io.watchgate.cache.UpstreamFailure.Malformed;
import io.watchgate.cache.UpstreamFailure.ServerError;
import io.watchgate.cache.UpstreamFailure.Throttled;
import io.watchgate.cache.UpstreamFailure.TypeGone;
import io.watchgate.cache.UpstreamFailure.Unauthorized;
import io.watchgate.cache.UpstreamFailure.Unsupported;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import mockwebserver3.MockResponse;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of requests that the apiserver, or a proxy in front of it, rejects. */
@Execution(ExecutionMode.CONCURRENT)
final class KubeUpstreamRefusalTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  @RegisterExtension private final ApiserverStub stub = new ApiserverStub();
  @TempDir private Path folder;
  private final Recorder recorder = new Recorder();

  private static MockResponse response(int code, String type, String body, String... headers) {
    MockResponse.Builder response =
        new MockResponse.Builder().code(code).setHeader("Content-Type", type).body(body);
    for (String header : headers) {
      response.addHeader(header);
    }
    return response.build();
  }

  private static MockResponse status(int code, String reason, String message) {
    return response(code, JSON, ApiserverStub.status(code, reason, message));
  }

  /**
   * Returns the response, the failure of a list, and the failure of a streaming list if it differs.
   */
  static Stream<Arguments> refusals() {
    String busy = "Too many requests, please try again later.\n";
    String absent = ": 404: 404 page not found";
    return Stream.of(
        Arguments.of(
            status(401, "Unauthorized", "Unauthorized"),
            new Unauthorized(": 401 Unauthorized: Unauthorized")),
        Arguments.of(
            status(403, "Forbidden", "pods is forbidden"),
            new Forbidden(": 403 Forbidden: pods is forbidden")),
        Arguments.of(response(404, TEXT, "404 page not found\n"), new TypeGone(absent)),
        Arguments.of(
            status(404, "NotFound", "no such resource"),
            new TypeGone(": 404 NotFound: no such resource")),
        Arguments.of(
            status(410, "Expired", "too old resource version"),
            new Expired(": 410 Expired: too old resource version")),
        Arguments.of(status(410, "Gone", "too old"), new Expired(": 410 Gone: too old")),
        Arguments.of(
            response(429, TEXT, busy, "Retry-After: 1"),
            new Throttled(": 429: Too many requests, please try again later.", SECOND)),
        Arguments.of(
            response(429, TEXT, busy),
            new Throttled(": 429: Too many requests, please try again later.", Duration.ZERO)),
        Arguments.of(
            response(
                429,
                JSON,
                ApiserverStub.status(429, "TooManyRequests", "storage is (re)initializing")
                    .replace(
                        "\"metadata\":{}",
                        "\"metadata\":{},\"details\":{\"retryAfterSeconds\":1}")),
            new Throttled(": 429 TooManyRequests: storage is (re)initializing", SECOND)),
        Arguments.of(
            status(429, "TooManyRequests", "later"),
            new Throttled(": 429 TooManyRequests: later", Duration.ZERO)),
        Arguments.of(
            status(500, "", "etcdserver: leader changed"),
            new ServerError(": 500: etcdserver: leader changed", Duration.ZERO)),
        Arguments.of(
            status(500, "InternalError", "etcd"),
            new ServerError(": 500 InternalError: etcd", Duration.ZERO)),
        Arguments.of(
            response(503, HTML, "<html>secret</html>", "Retry-After: 7"),
            new ServerError(": 503: an HTML page", Duration.ofSeconds(7))),
        Arguments.of(
            response(404, HTML, "<html>secret</html>"),
            new Malformed(": 404: an HTML page; is this the URL of an apiserver?")),
        Arguments.of(
            response(302, TEXT, "", "Location: https://login/?state=secret"),
            new Malformed(
                ": 302: redirected to https://login/; is this the URL of an apiserver?")));
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("refusals")
  void listProbeAndWatch_failAlike(MockResponse response, UpstreamFailure expected)
      throws Exception {
    try (KubeUpstream pods = stub.pods()) {
      stub.server.enqueue(response);
      assertSame(failure(pods.list(recorder)), "list pods", expected);
      stub.server.enqueue(response);
      assertSame(failure(pods.probe()), "probe pods", expected);
      stub.server.enqueue(response);
      assertSame(failure(pods.watch("1", recorder)), "watch pods", expected);
    }
    assertThat(recorder.seen).isEmpty();
  }

  /** Such a request may fail only because the server is too old for its parameters. */
  @Tag("slow")
  @ParameterizedTest
  @MethodSource("refusals")
  void badRequestForStreamingList_isUnsupported(MockResponse response, UpstreamFailure expected)
      throws Exception {
    try (KubeUpstream pods = stub.pods()) {
      stub.server.enqueue(response);
      assertSame(
          failure(pods.watchList(LONG, recorder)),
          "streaming list pods",
          expected instanceof BadRequest bad ? new Unsupported(bad.message()) : expected);
    }
  }

  private static void assertSame(UpstreamFailure failure, String what, UpstreamFailure expected) {
    assertThat(failure).hasSameClassAs(expected);
    assertThat(failure.message()).isEqualTo(what + expected.message());
    assertThat(failure).usingRecursiveComparison().ignoringFields("message").isEqualTo(expected);
  }

  // ---- tokens

  private KubeUpstream podsWithTokenOf(Path file) throws ConfigException {
    return stub.upstream(stub.access(new UserCredentials.TokenFile(file)), PODS, SETTINGS);
  }

  @Test
  void rejectedToken_isReloadedUntilAccepted() throws Exception {
    Path file = Files.writeString(folder.resolve("token"), "secret-worn");
    stub.server.enqueue(status(401, "Unauthorized", "Unauthorized"));
    stub.server.enqueue(status(401, "Unauthorized", "Unauthorized"));
    stub.answer(ListPage.of("1", "", 0, 1));
    stub.answer(ListPage.of("1", "", 0, 1));
    try (KubeUpstream pods = podsWithTokenOf(file)) {
      for (int i = 0; i < 2; i++) {
        assertThat(failure(pods.list(recorder)))
            .isEqualTo(new Unauthorized("list pods: 401 Unauthorized: Unauthorized"));
      }
      Files.writeString(file, "fresh");
      assertThat(pods.list(recorder)).isEqualTo(new Listed("1"));
      Files.writeString(file, "later"); // not read: the current token is valid
      assertThat(pods.list(recorder)).isEqualTo(new Listed("1"));
    }
    assertThat(authorization()).isEqualTo("Bearer secret-worn");
    assertThat(authorization()).isEqualTo("Bearer secret-worn");
    assertThat(authorization()).isEqualTo("Bearer fresh");
    assertThat(authorization()).isEqualTo("Bearer fresh");
  }

  private String authorization() throws InterruptedException {
    return String.valueOf(stub.request().getHeaders().get("Authorization"));
  }

  @Test
  void unreadableTokenFile_isNamedWithoutRequest() throws Exception {
    Path file = folder.resolve("token");
    try (KubeUpstream pods = podsWithTokenOf(file)) {
      assertThat(failure(pods.list(recorder)))
          .isEqualTo(
              new Unauthorized("list pods: cannot read " + file + ": there is no such file"));
    }
    assertThat(stub.server.getRequestCount()).isZero();
  }
}
