package io.watchgate.e2e.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import okhttp3.Call;
import okhttp3.Response;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/**
 * List and watch directly at the apiserver, on a separate thread. After the end of a watch it
 * resumes from the last version. If the apiserver no longer has that version, it lists again and
 * notifies the listener, which must decide whether changes were missed.
 */
public final class DirectWatch implements AutoCloseable {
  /** Listener called by one thread, in order. */
  public interface Listener {
    /**
     * Called with a complete list; objects have {@code apiVersion} and {@code kind} as in a watch.
     */
    void listed(long resourceVersion, List<JsonNode> objects);

    void changed(DirectEvent event);
  }

  private static final Duration PAUSE = Duration.ofMillis(50);

  private final Cluster cluster;
  private final Resource type;
  private final String namespace;
  private final Map<String, String> selectors;
  private final Listener listener;
  private final Thread thread;

  private volatile boolean closed;
  private volatile @Nullable Call open;
  private volatile @Nullable Throwable failure;

  private DirectWatch(
      Cluster cluster,
      Resource type,
      String namespace,
      Map<String, String> selectors,
      Listener listener) {
    this.cluster = cluster;
    this.type = type;
    this.namespace = namespace;
    this.selectors = selectors;
    this.listener = listener;
    this.thread = Thread.ofVirtual().name("direct watch of " + type.plural()).unstarted(this::run);
  }

  /**
   * Starts a watch and returns immediately; the listener receives the list.
   *
   * @param namespace empty for all
   * @param selectors any of {@code labelSelector} and {@code fieldSelector}
   */
  public static DirectWatch start(
      Cluster cluster,
      Resource type,
      String namespace,
      Map<String, String> selectors,
      Listener listener) {
    DirectWatch watch = new DirectWatch(cluster, type, namespace, selectors, listener);
    watch.thread.start();
    return watch;
  }

  /** Returns the failure that ended this watch permanently, if there was one. */
  public @Nullable Throwable failure() {
    return failure;
  }

  @Override
  public void close() {
    closed = true;
    Call call = open;
    if (call != null) {
      call.cancel();
    }
    try {
      thread.join(Duration.ofSeconds(10));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    String position = "";
    while (!closed) {
      try {
        position = position.isEmpty() ? list() : watch(position);
      } catch (KubeException e) {
        if (e.code() == 410) {
          position = "";
        } else if (e.code() != 429 && e.code() < 500) {
          failure = e;
          return;
        }
        pause();
      } catch (IOException | UncheckedIOException e) {
        pause();
      } catch (RuntimeException | Error e) {
        failure = e;
        return;
      }
    }
  }

  private static void pause() {
    LockSupport.parkNanos(PAUSE.toNanos());
  }

  private String list() {
    JsonNode list = cluster.list(type, namespace, selectors);
    List<JsonNode> objects = new ArrayList<>();
    for (JsonNode item : list.get("items")) {
      // Items of built-in types have neither; a watch's objects have both.
      ((ObjectNode) item).put("apiVersion", type.apiVersion()).put("kind", type.kind());
      objects.add(item);
    }
    String version = list.at("/metadata/resourceVersion").textValue();
    listener.listed(Long.parseLong(version), objects);
    return version;
  }

  private String watch(String from) throws IOException {
    String position = from;
    Map<String, String> parameters = new LinkedHashMap<>(selectors);
    parameters.put("watch", "1");
    parameters.put("allowWatchBookmarks", "true");
    parameters.put("resourceVersion", from);
    Call call = cluster.watchCall(type, namespace, parameters);
    open = call;
    if (closed) {
      return position;
    }
    try (Response response = call.execute()) {
      if (!response.isSuccessful()) {
        throw Cluster.failure(call.request(), response);
      }
      BufferedSource lines = response.body().source();
      for (String line = lines.readUtf8Line(); line != null; line = lines.readUtf8Line()) {
        position = take(call, Json.parse(line));
      }
    } catch (IOException e) {
      if (position.equals(from)) {
        throw e;
      }
      // Events read so far count; the next call resumes after them.
    }
    return position;
  }

  private String take(Call call, JsonNode frame) {
    JsonNode object = frame.get("object");
    String kind = frame.get("type").textValue();
    if (kind.equals("ERROR")) {
      throw new KubeException(
          "WATCH " + call.request().url(), object.get("code").intValue(), object.toString());
    }
    if (!kind.equals("BOOKMARK")) {
      listener.changed(new DirectEvent(DirectEvent.Change.valueOf(kind), object));
    }
    return object.at("/metadata/resourceVersion").textValue();
  }
}
