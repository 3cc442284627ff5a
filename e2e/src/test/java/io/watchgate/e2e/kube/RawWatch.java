package io.watchgate.e2e.kube;

import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Open watch, which keeps the lines that it receives. */
public final class RawWatch implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private final InputStream body;
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private volatile boolean over;
  private volatile boolean complete;

  private RawWatch(InputStream body) {
    this.body = body;
    Thread.ofVirtual().start(this::read);
  }

  /** Opens a watch, with the encoded path and query. */
  public static RawWatch open(Cluster at, String path, String accept) {
    return new RawWatch(at.open(path, accept));
  }

  private void read() {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.add(line);
      }
      complete = true;
    } catch (IOException e) {
      // closed by this client, or by a server that was killed
    } finally {
      over = true;
    }
  }

  /** Returns all lines so far. */
  public List<String> lines() {
    return List.copyOf(lines);
  }

  /** Returns the lines without bookmarks, whose times are a server's own. */
  public List<String> events() {
    return lines.stream().filter(line -> !line.startsWith("{\"type\":\"BOOKMARK\"")).toList();
  }

  /** Returns whether the server has ended the watch, or the connection broke. */
  public boolean isOver() {
    return over;
  }

  /**
   * Returns whether the server has ended the body, by its last chunk over HTTP/1.1 or END_STREAM
   * over HTTP/2; false if it goes on, or if the connection broke.
   */
  public boolean isComplete() {
    return complete;
  }

  /** Waits until a line contains the text. */
  public void awaitLine(String text) {
    await().atMost(LIMIT).until(() -> lines.stream().anyMatch(line -> line.contains(text)));
  }

  @Override
  public void close() {
    try {
      body.close();
    } catch (IOException e) {
      // the server has closed it
    }
  }
}
