package io.watchgate.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.grpc.CallOutputListener;
import io.watchgate.grpc.CallStatus;
import io.watchgate.http.StreamedResponse;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;

/** Test of an output whose periodic check throws an exception, over HTTP. */
final class HttpCallOutputTest {
  private final Queue<String> events = new ConcurrentLinkedQueue<>();

  /** Output whose check fails. */
  private static final class FailingOutput extends HttpCallOutput {
    FailingOutput(Request request, Response response, Callback callback) {
      super(
          (thread, listener) -> new StreamedResponse(request, response, callback, thread, listener),
          Duration.ofMillis(1));
    }

    @Override
    void onInterval() {
      throw new IllegalStateException("check");
    }

    @Override
    public void send(byte[] message) {}

    @Override
    public void end(CallStatus ending) {}
  }

  /**
   * Call that records the events of its output, and ends the response after a failure.
   *
   * @param output output of the call
   */
  private record RecordedCall(FailingOutput output, Queue<String> events)
      implements CallOutputListener {
    @Override
    public void onReady() {
      events.add("ready");
    }

    @Override
    public void onGone() {
      events.add("gone");
    }

    @Override
    public void onFailed(RuntimeException failure) {
      events.add("failed: " + failure.getMessage());
      output.response().end();
    }

    @Override
    public void onEnded() {
      events.add("ended");
    }
  }

  @Test
  void checkThatThrows_failsTheCallOnce() throws Exception {
    Server server = new Server();
    ServerConnector connector = new ServerConnector(server);
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    try (ScheduledExecutorService loop = Executors.newSingleThreadScheduledExecutor()) {
      server.setHandler(
          new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
              FailingOutput output = new FailingOutput(request, response, callback);
              loop.execute(() -> output.begin(new RecordedCall(output, events), loop));
              return true;
            }
          });
      server.start();
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), connector.getLocalPort())) {
        socket.setSoTimeout(180_000);
        socket
            .getOutputStream()
            .write(
                "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
        socket.getInputStream().readAllBytes();
        // The client may have all bytes before the server has noted that they are sent.
        await().until(() -> events.size() >= 2);
      } finally {
        server.stop();
      }
    }
    assertThat(events).containsExactly("failed: check", "ended");
  }
}
