package io.watchgate.ops;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class ResponseTimeoutTest {
  /** Else each such client keeps a thread and a descriptor for as long as a recording may take. */
  @Test
  void responseThatIsNotRead_isGivenUp() throws Exception {
    // The JDK's server reads its own limits once, and other tests of this JVM need those.
    Class.forName(OpsServer.class.getName());
    CompletableFuture<IOException> failure = new CompletableFuture<>();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    try (ResponseTimeout timeout = new ResponseTimeout(exchange -> Duration.ofMillis(200));
        var threads = Executors.newVirtualThreadPerTaskExecutor();
        Socket socket = new Socket()) {
      server.setExecutor(threads);
      server
          .createContext(
              "/",
              exchange -> {
                try {
                  exchange.sendResponseHeaders(200, 0); // may already be given up
                  while (true) {
                    exchange.getResponseBody().write(new byte[1 << 16]);
                  }
                } catch (IOException e) {
                  failure.complete(e);
                  throw e;
                }
              })
          .getFilters()
          .add(timeout);
      server.start();
      socket.connect(server.getAddress());
      socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII));

      assertThat(failure.get(3, TimeUnit.MINUTES)).isNotNull();
      server.stop(0);
    }
  }
}
