package io.watchgate.http;

import io.watchgate.cache.TimeSource;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Server of a catalog on a free port, with a client. */
final class TestServer implements AutoCloseable {
  /** Waits of a tenth of a second, so that tests are short. */
  static final HttpSettings SETTINGS =
      HttpSettings.DEFAULT.withPositionWait(Duration.ofMillis(100));

  final TestCatalog catalog;
  private final HttpServer server;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  TestServer() {
    this(new TestCatalog(), null, SETTINGS);
  }

  TestServer(TestCatalog catalog, @Nullable WriteBackend writes, HttpSettings settings) {
    this.catalog = catalog;
    try {
      server =
          new HttpServer(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
              null,
              catalog,
              writes,
              TimeSource.SYSTEM,
              settings);
      server.start();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  int port() {
    return server.port();
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port() + path);
  }

  /** Sends a GET. Pairs of names and values of headers follow the path. */
  HttpResponse<String> get(String path, String... headers) {
    return send("GET", path, "", headers);
  }

  HttpResponse<String> send(String method, String path, String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri(path))
            .timeout(Duration.ofSeconds(20))
            .method(method, HttpRequest.BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return send(request.build(), BodyHandlers.ofString());
  }

  <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> body) {
    try {
      return client.send(request, body);
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    server.close();
    client.close();
  }
}
