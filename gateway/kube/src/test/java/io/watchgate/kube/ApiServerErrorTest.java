package io.watchgate.kube;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.UpstreamFailure;
import io.watchgate.cache.UpstreamFailure.BadRequest;
import io.watchgate.cache.UpstreamFailure.Expired;
import io.watchgate.cache.UpstreamFailure.Forbidden;
import io.watchgate.cache.UpstreamFailure.Malformed;
import io.watchgate.cache.UpstreamFailure.NotYetReached;
import io.watchgate.cache.UpstreamFailure.ServerError;
import io.watchgate.cache.UpstreamFailure.Throttled;
import io.watchgate.cache.UpstreamFailure.TypeGone;
import io.watchgate.cache.UpstreamFailure.Unauthorized;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

final class ApiServerErrorTest {

  private static Response response(int code, String type, String body, String... headers) {
    Response.Builder builder =
        new Response.Builder()
            .request(new Request.Builder().url("https://apiserver/").build())
            .protocol(Protocol.HTTP_2)
            .code(code)
            .message("")
            .header("Content-Type", type)
            .body(ResponseBody.create(body, MediaType.get(type)));
    for (int i = 0; i < headers.length; i += 2) {
      builder.header(headers[i], headers[i + 1]);
    }
    return builder.build();
  }

  private static String status(int code, String reason, String message, String more) {
    return """
    {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"%s",\
    "reason":"%s",%s"code":%d}
    """
        .formatted(message, reason, more, code);
  }

  static Stream<Arguments> answers() {
    Duration none = Duration.ZERO;
    Duration second = Duration.ofSeconds(1);
    String text = "text/plain; charset=utf-8";
    String json = "application/json";
    String tooLarge =
        """
        "details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource\
         version"}],"retryAfterSeconds":2},\
        """;
    return Stream.of(
        Arguments.of(
            response(410, json, status(410, "Expired", "too old resource version", "")),
            new Expired("list pods: 410 Expired: too old resource version")),
        Arguments.of(response(410, text, "gone"), new ServerError("list pods: 410: gone", none)),
        Arguments.of(response(400, text, "bad"), new ServerError("list pods: 400: bad", none)),
        Arguments.of(
            response(504, json, status(504, "Timeout", "Timeout", tooLarge)),
            new NotYetReached("list pods: 504 Timeout: Timeout", Duration.ofSeconds(2))),
        Arguments.of(
            response(504, json, status(504, "Timeout", "Timeout", tooLarge), "Retry-After", "1"),
            new NotYetReached("list pods: 504 Timeout: Timeout", second)),
        Arguments.of(
            response(504, json, status(504, "Timeout", "etcd", "")),
            new ServerError("list pods: 504 Timeout: etcd", none)),
        Arguments.of(
            response(429, text, "Too many requests, please try again later.\n", "Retry-After", "1"),
            new Throttled("list pods: 429: Too many requests, please try again later.", second)),
        Arguments.of(
            response(
                429,
                json,
                status(
                    429,
                    "TooManyRequests",
                    "storage is (re)initializing",
                    "\"details\":{\"retryAfterSeconds\":1},")),
            new Throttled("list pods: 429 TooManyRequests: storage is (re)initializing", second)),
        Arguments.of(
            response(401, json, status(401, "Unauthorized", "Unauthorized", "")),
            new Unauthorized("list pods: 401 Unauthorized: Unauthorized")),
        Arguments.of(
            response(403, json, status(403, "Forbidden", "no", "")),
            new Forbidden("list pods: 403 Forbidden: no")),
        Arguments.of(
            response(404, text, "404 page not found\n"),
            new TypeGone("list pods: 404: 404 page not found")),
        Arguments.of(
            response(404, json, status(404, "NotFound", "no such resource", "")),
            new TypeGone("list pods: 404 NotFound: no such resource")),
        Arguments.of(
            response(405, json, status(405, "MethodNotAllowed", "no watch", "")),
            new TypeGone("list pods: 405 MethodNotAllowed: no watch")),
        Arguments.of(
            response(404, "text/html", "<html>nothing here</html>"),
            new Malformed("list pods: 404: an HTML page; is this the URL of an apiserver?")),
        Arguments.of(
            response(400, json, status(400, "BadRequest", "bad", "")),
            new BadRequest("list pods: 400 BadRequest: bad")),
        Arguments.of(response(406, text, "only json"), new BadRequest("list pods: 406: only json")),
        Arguments.of(
            response(422, json, status(422, "Invalid", "bad", "")),
            new BadRequest("list pods: 422 Invalid: bad")),
        Arguments.of(
            response(500, json, status(500, "", "etcdserver: leader changed", "")),
            new ServerError("list pods: 500: etcdserver: leader changed", none)),
        Arguments.of(
            response(500, json, status(500, "InternalError", "webhook", "")),
            new ServerError("list pods: 500 InternalError: webhook", none)),
        Arguments.of(
            response(500, text, "This request caused apiserver to panic."),
            new ServerError("list pods: 500: This request caused apiserver to panic.", none)),
        Arguments.of(
            response(503, "text/html", "<h1>502</h1>", "Retry-After", "7"),
            new ServerError("list pods: 503: an HTML page", Duration.ofSeconds(7))),
        Arguments.of(
            response(302, text, "", "Location", "https://login/?state=secret"),
            new Malformed(
                "list pods: 302: redirected to https://login/; is this the URL of an apiserver?")),
        Arguments.of(
            response(203, json, "{\"kind\":\"Secret\",\"data\":{}}"),
            new Malformed(
                "list pods: 203: JSON that is no Status; is this the URL of an apiserver?")));
  }

  @ParameterizedTest
  @MethodSource("answers")
  void answer_hasItsFailureClass(Response response, UpstreamFailure expected) throws IOException {
    assertThat(ApiServerError.of(response).failure("list pods")).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "410, Expired, Expired",
    "410, Gone, Expired",
    "0, Expired, Expired",
    "500, InternalError, ServerError",
    "500, StorageReadError, ServerError",
    "500, '', ServerError",
    "429, TooManyRequests, Throttled",
    "504, Timeout, NotYetReached",
    "0, '', ServerError",
  })
  void errorFrame_hasItsFailureClass(int code, String reason, String expected) throws Exception {
    byte[] object =
        status(code, reason, "Timeout: Too large resource version: 9, current: 5", "")
            .getBytes(UTF_8);
    assertThat(
            ApiServerError.of(JsonDocument.parse(object, 0, object.length))
                .failure("watch pods")
                .getClass()
                .getSimpleName())
        .isEqualTo(expected);
  }

  @Test
  void longMessage_isCutToOneLine() throws IOException {
    UpstreamFailure failure =
        ApiServerError.of(response(503, "text/plain", "a\n\u0007b " + "x".repeat(10_000)))
            .failure("w");
    assertThat(failure.message()).hasSize("w: 503: ".length() + 300).startsWith("w: 503: a b x");
  }

  @ParameterizedTest
  @CsvSource({
    "17, 17",
    "0, 0",
    "'Thu, 01 Jan 1970 00:01:40 GMT', 100",
    "'Wed, 31 Dec 1969 23:59:00 GMT', 0",
    "301, 300",
    "999999999, 300",
    "'Thu, 01 Jan 1970 12:00:00 GMT', 300",
    "soon, 0",
    "-1, 0",
    "99999999999999999999, 0"
  })
  void retryAfter_isSecondsOrDate(String header, long seconds) {
    assertThat(ApiServerError.retryAfter(header, Instant.EPOCH)).hasSeconds(seconds);
  }
}
