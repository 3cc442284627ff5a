package io.watchgate.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that invalid reads are refused with the messages of an apiserver 1.36.3. */
final class ReadRefusalTest {
  private static final String MAPS = "/api/v1/namespaces/a/configmaps";

  private final TestServer server = new TestServer();

  @AfterEach
  void close() {
    server.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /api/v1/namespaces/a/configmaps?resourceVersion=abc | 400 | BadRequest | invalid resource version: resourceVersion: Invalid value: \\"abc\\": strconv.ParseUint: parsing \\"abc\\": invalid syntax
          /api/v1/namespaces/a/configmaps?resourceVersion=-1  | 400 | BadRequest | parsing \\"-1\\": invalid syntax
          /api/v1/configmaps?resourceVersion=18446744073709551616 | 400 | BadRequest | value out of range
          /api/v1/configmaps?limit=abc              | 400 | BadRequest | "message":"strconv.ParseInt: parsing \\"abc\\": invalid syntax"
          /api/v1/configmaps?limit=                 | 400 | BadRequest | parsing \\"\\": invalid syntax
          /api/v1/configmaps?timeoutSeconds=1.5     | 400 | BadRequest | parsing \\"1.5\\": invalid syntax
          /api/v1/configmaps?limit=99999999999999999999 | 400 | BadRequest | value out of range
          /api/v1/configmaps?labelSelector=a%3D1%3D | 400 | BadRequest | found '=', expected: ',' or 'end of string'
          /api/v1/configmaps?fieldSelector=a%3D1    | 400 | BadRequest | \\"a\\" is not a known field selector: only \\"metadata.name\\", \\"metadata.namespace\\"
          /api/v1/configmaps?fieldSelector=a        | 400 | BadRequest | invalid selector: 'a'; can't understand 'a'
          /apis/x.io/v1/widgets?fieldSelector=spec.x%3D1 | 400 | BadRequest | field label not supported: spec.x
          /api/v1/configmaps?continue=abc           | 400 | BadRequest | invalid continue token: continue key is not valid
          /api/v1/configmaps?continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTAwLCJzdGFydCI6ImMxXHUwMDAwIn0&resourceVersion=5 | 400 | BadRequest | specifying resource version is not allowed when using continue
          /api/v1/configmaps?resourceVersionMatch=Exact | 422 | Invalid | ListOptions.meta.k8s.io \\"\\" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided
          /api/v1/configmaps?resourceVersionMatch=Exact&resourceVersion=0 | 422 | Invalid | resourceVersionMatch \\"exact\\" is forbidden for resourceVersion \\"0\\"
          /api/v1/configmaps?resourceVersionMatch=Exact&resourceVersion=5&continue=x | 422 | Invalid | resourceVersionMatch is forbidden when continue is provided
          /api/v1/configmaps?resourceVersionMatch=Foo&resourceVersion=1&sendInitialEvents=true | 422 | Invalid | [resourceVersionMatch: Unsupported value: \\"Foo\\": supported values: \\"Exact\\", \\"NotOlderThan\\", \\"\\", sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list]
          /api/v1/namespaces/a/configmaps/nope      | 404 | NotFound   | "message":"configmaps \\"nope\\" not found","reason":"NotFound","details":{"name":"nope","kind":"configmaps"},"code":404
          /apis/apps/v1/namespaces/a/deployments/n  | 404 | NotFound   | "message":"deployments.apps \\"n\\" not found","reason":"NotFound","details":{"name":"n","group":"apps","kind":"deployments"}
          /api/v1/foo                               | 404 | NotFound   | "message":"the server could not find the requested resource","reason":"NotFound","details":{},"code":404
          /apis/apps/v3/deployments                 | 404 | NotFound   | the server could not find the requested resource
          /api/v1/namespaces/a/nodes                | 404 | NotFound   | the server could not find the requested resource
          /api/v1/namespaces/a/configmaps/c/status  | 404 | NotFound   | the server could not find the requested resource
          /api/v1/namespaces/a/pods/p/binding       | 405 | MethodNotAllowed | the server does not allow this method on the requested resource","reason":"MethodNotAllowed","details":{},"code":405
          """)
  void invalidRead_isRefusedWithTheApiserversMessage(
      String path, int code, String reason, String text) {
    HttpResponse<String> answer = server.get(path);
    assertThat(answer.statusCode()).isEqualTo(code);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
    assertThat(answer.body())
        .startsWith(
            "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",")
        .contains("\"reason\":\"" + reason + "\"", "\"code\":" + code + "}\n", text);
  }

  @Test
  void getWithInvalidVersion_hasNoReason() {
    assertThat(server.get(MAPS + "/c1?resourceVersion=abc").body())
        .isEqualTo(
            "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"resourceVersion:"
                + " Invalid value: \\\"abc\\\": strconv.ParseUint: parsing \\\"abc\\\": invalid"
                + " syntax\",\"code\":500}\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/apis/nope.io/v1/things",
        "/apis/x.io/v2/widgets",
        "/apis/x.io/v1/gadgets",
        "/apis/nope.io",
        "/apis/apps/v3",
        "/api/v3",
        "/openapi/v3/apis/nope/v1",
        "/elsewhere"
      })
  void unknownPath_isAPlainPageNotFound(String path) {
    HttpResponse<String> answer = server.get(path);
    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.headers().firstValue("Content-Type")).contains("text/plain; charset=utf-8");
    assertThat(answer.body()).isEqualTo("404 page not found\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
  void writesWithoutBackend_areRefused(String method) {
    HttpResponse<String> answer = server.send(method, MAPS, "{}");
    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(answer.body()).contains("\"reason\":\"MethodNotAllowed\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/%zz", "/a/../b%2f", "/api/v1/%2e%2e/x"})
  void ambiguousPath_isRefusedInOneLine(String path) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket
          .getOutputStream()
          .write(
              ("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                  .getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer).matches("(?s)HTTP/1.1 40[04] .*").doesNotContain("Exception", "\tat ");
    }
  }

  @Test
  void tooLargeHeaders_areRefused() {
    HttpResponse<String> answer = server.get(MAPS, "X-Large", "x".repeat(70_000));
    assertThat(answer.statusCode()).isEqualTo(431);
    assertThat(answer.body()).startsWith("431: ").hasLineCount(1);
  }
}
