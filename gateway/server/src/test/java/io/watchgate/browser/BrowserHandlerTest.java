package io.watchgate.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the answers before a call begins, over HTTP. */
final class BrowserHandlerTest {
  private static String answer(String request) throws Exception {
    Server server = new Server();
    ServerConnector connector = new ServerConnector(server);
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    server.setHandler(new BrowserHandler(BrowserSettings.DEFAULTS, _ -> false));
    server.start();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), connector.getLocalPort())) {
      socket.setSoTimeout(180_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    } finally {
      server.stop();
    }
  }

  /** After an answer with an error of the server a browser would not come back. */
  @Test
  void gatewayThatDoesNotServe_endsTheConnectionWithoutAnswer() throws Exception {
    assertThat(answer("GET /v1/watch?resource=pods HTTP/1.1\r\nHost: a\r\n\r\n")).isEmpty();
  }

  /** An empty answer is that of a page that may be served, by a gateway that does not serve yet. */
  @ParameterizedTest
  @CsvSource({
    "https://a, same-origin, ''",
    "http://a, '', ''",
    "https://a, '', HTTP/1.1 403",
    "https://a, cross-site, HTTP/1.1 403"
  })
  void originOfAPageBehindAProxyThatEndsTls_isJudgedByTheBrowsersOwnHeader(
      String origin, String site, String begin) throws Exception {
    String fetchSite = site.isEmpty() ? "" : "Sec-Fetch-Site: " + site + "\r\n";
    assertThat(
            answer(
                "POST /watchgate.v1.WatchService/ListObjects HTTP/1.1\r\nHost: a\r\nOrigin: "
                    + origin
                    + "\r\n"
                    + fetchSite
                    + "Content-Length: 0\r\n\r\n"))
        .satisfies(
            answer -> {
              assertThat(answer).startsWith(begin);
              assertThat(answer.isEmpty()).isEqualTo(begin.isEmpty());
            });
  }
}
