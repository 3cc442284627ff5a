package io.watchgate.http;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Open watch that is read frame by frame. */
final class TestWatch implements AutoCloseable {
  final HttpResponse<InputStream> response;
  private final BufferedReader lines;

  private TestWatch(HttpResponse<InputStream> response) {
    this.response = response;
    this.lines = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
  }

  /**
   * Returns once the server has accepted the watch. Pairs of names and values of headers follow the
   * path.
   */
  static TestWatch open(TestServer server, String path, String... headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(server.uri(path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return new TestWatch(server.send(request.build(), BodyHandlers.ofInputStream()));
  }

  /** Returns the next frame, or "END". Waits for it. */
  String next() {
    try {
      String line = lines.readLine();
      return line == null ? "END" : line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns all frames up to the end. Waits for the end. */
  List<String> rest() {
    return lines.lines().toList();
  }

  @Override
  public void close() {
    try {
      lines.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String frame(String type, String object) {
    return "{\"type\":\"" + type + "\",\"object\":" + object + "}";
  }
}
