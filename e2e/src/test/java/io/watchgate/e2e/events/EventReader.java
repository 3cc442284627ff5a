package io.watchgate.e2e.events;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.kube.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/**
 * Reader of an event stream by the rules of an EventSource. It does not reconnect: a test opens the
 * next one with the last id.
 */
public final class EventReader implements AutoCloseable {
  public static final Duration LIMIT = Duration.ofMinutes(3);

  private final HttpResponse<InputStream> response;
  private final List<Event> events = new CopyOnWriteArrayList<>();
  private final List<String> comments = new CopyOnWriteArrayList<>();
  private volatile String lastId;
  private volatile String retry = "";
  private volatile boolean over;

  /**
   * Event of a stream.
   *
   * @param id last id when it was dispatched
   * @param at time of its arrival, by {@code nanoTime}
   */
  public record Event(String name, String id, JsonNode data, long at) {
    /** Returns the name of the object of a change. */
    public String objectName() {
      return data.at("/object/metadata/name").textValue();
    }

    /** Returns the version of the object of a change. */
    public String objectVersion() {
      return data.at("/object/metadata/resourceVersion").textValue();
    }

    public boolean isChange() {
      return name.equals("added") || name.equals("modified") || name.equals("deleted");
    }
  }

  private EventReader(HttpResponse<InputStream> response, String lastId) {
    this.response = response;
    this.lastId = lastId;
    Thread.ofVirtual().start(this::read);
  }

  /** Opens a stream. */
  public static EventReader open(HttpClient client, URI at, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(at).header("Accept", "text/event-stream").timeout(LIMIT);
    String lastId = "";
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
      lastId = headers[i].equals("Last-Event-ID") ? headers[i + 1] : lastId;
    }
    try {
      return new EventReader(
          client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream()), lastId);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private void read() {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
      Map<String, String> fields = new HashMap<>();
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (line.isEmpty()) {
          dispatch(fields);
          fields.clear();
        } else if (line.startsWith(":")) {
          comments.add(line);
        } else {
          int colon = line.indexOf(':');
          fields.merge(
              line.substring(0, colon), line.substring(colon + 1).strip(), (a, b) -> a + "\n" + b);
        }
      }
    } catch (IOException e) {
      // closed by this client, or the connection broke
    } finally {
      over = true;
    }
  }

  private void dispatch(Map<String, String> fields) {
    lastId = fields.getOrDefault("id", lastId);
    retry = fields.getOrDefault("retry", retry);
    String data = fields.get("data");
    if (data != null) {
      events.add(
          new Event(
              fields.getOrDefault("event", "message"),
              lastId,
              Json.parse(data),
              System.nanoTime()));
    }
  }

  public int status() {
    return response.statusCode();
  }

  /** Returns the value of a header; empty: there is none. */
  public String header(String name) {
    return response.headers().firstValue(name).orElse("");
  }

  public HttpClient.Version version() {
    return response.version();
  }

  /** Returns the id that a browser would send next; empty: none. */
  public String lastId() {
    return lastId;
  }

  /** Returns the wait before the next attempt in ms, as sent last. */
  public String retry() {
    return retry;
  }

  public List<String> comments() {
    return List.copyOf(comments);
  }

  /** Returns the events of a name so far. */
  public List<Event> events(String name) {
    return events.stream().filter(event -> event.name().equals(name)).toList();
  }

  /** Returns the changes so far, also those of a snapshot. */
  public Stream<Event> changes() {
    return events.stream().filter(Event::isChange);
  }

  public boolean isOver() {
    return over;
  }

  /** Waits for an event of this name and returns the first. */
  public Event awaitFirst(String name) {
    await()
        .atMost(LIMIT)
        .until(
            () -> {
              if (over && events(name).isEmpty()) {
                throw new AssertionError("the stream ended with " + events);
              }
              return !events(name).isEmpty();
            });
    return events(name).getFirst();
  }

  /** Waits for a change of an object and returns it. */
  public Event awaitChange(String type, String object) {
    await()
        .atMost(LIMIT)
        .until(() -> events(type).stream().anyMatch(event -> event.objectName().equals(object)));
    return events(type).stream()
        .filter(event -> event.objectName().equals(object))
        .findFirst()
        .orElseThrow();
  }

  public void awaitEnd() {
    await().atMost(LIMIT).until(this::isOver);
  }

  @Override
  public void close() {
    try {
      response.body().close();
    } catch (IOException e) {
      // the server has closed it
    }
  }
}
