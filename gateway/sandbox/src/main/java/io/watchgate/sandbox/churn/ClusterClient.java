package io.watchgate.sandbox.churn;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.watchgate.cache.Revision;
import io.watchgate.cache.TypeLease;
import io.watchgate.cache.WatchCache;
import io.watchgate.http.ApiPath;
import io.watchgate.http.ResourceCatalog;
import io.watchgate.http.ServedResource;
import io.watchgate.http.StatusException;
import io.watchgate.http.WriteBackend;
import io.watchgate.http.WriteRequest;
import io.watchgate.http.WriteRequest.Method;
import io.watchgate.json.KubeObject;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Client of the actors: reads from the caches and writes by requests, as a controller does. Ignores
 * a write that fails because the object is missing, already exists or has changed (404, 409),
 * because the actors reconcile again.
 */
final class ClusterClient implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ClusterClient.class);

  private final WriteBackend writes;
  private final Map<SimulatedKind, TypeLease> sources = new EnumMap<>(SimulatedKind.class);

  ClusterClient(ResourceCatalog catalog, WriteBackend writes) {
    this.writes = writes;
    for (SimulatedKind kind : SimulatedKind.values()) {
      TypeLease source =
          catalog.resources().stream()
              .map(ServedResource::definition)
              .filter(definition -> kind.matches(definition.type()))
              .findFirst()
              .flatMap(catalog::open)
              .orElseThrow(() -> new IllegalArgumentException(kind + " are not served"));
      sources.put(kind, source);
    }
  }

  WatchCache cache(SimulatedKind kind) {
    TypeLease source = sources.get(kind);
    if (source == null) {
      throw new IllegalStateException("closed");
    }
    return source.cache();
  }

  /** Returns the current object. */
  Optional<JsonObject> get(SimulatedKind kind, ObjectName key) {
    Revision head = cache(kind).head();
    KubeObject view = head == null ? null : head.state().get(key.bytes());
    return Optional.ofNullable(view).map(ClusterClient::parse);
  }

  static JsonObject parse(KubeObject view) {
    return parse(new String(view.bytes(), StandardCharsets.UTF_8));
  }

  static JsonObject parse(String json) {
    return JsonParser.parseString(json).getAsJsonObject();
  }

  Optional<JsonObject> create(SimulatedKind kind, String namespace, JsonObject object) {
    return send(Method.POST, kind.collection(namespace), Map.of(), object);
  }

  /** Applies a merge patch to an object. */
  Optional<JsonObject> merge(SimulatedKind kind, ObjectName key, JsonObject patch) {
    return send(Method.PATCH, kind.path(key, ""), Map.of(), patch);
  }

  /** Applies a merge patch to the status of an object. */
  Optional<JsonObject> mergeStatus(SimulatedKind kind, ObjectName key, JsonObject status) {
    JsonObject patch = new JsonObject();
    patch.add("status", status);
    return send(Method.PATCH, kind.path(key, "status"), Map.of(), patch);
  }

  void bind(ObjectName pod, String node) {
    JsonObject binding =
        parse(
            """
            {"kind":"Binding","apiVersion":"v1","metadata":{"name":"%s"},
             "target":{"kind":"Node","name":"%s"}}\
            """
                .formatted(pod.name(), node));
    send(Method.POST, SimulatedKind.PODS.path(pod, "binding"), Map.of(), binding);
  }

  /** Deletes an object with its own grace period. */
  void delete(SimulatedKind kind, ObjectName key) {
    send(Method.DELETE, kind.path(key, ""), Map.of(), new JsonObject());
  }

  /** Deletes an object at once, as a kubelet does after a pod has ended. */
  void deleteNow(SimulatedKind kind, ObjectName key) {
    send(Method.DELETE, kind.path(key, ""), Map.of("gracePeriodSeconds", "0"), new JsonObject());
  }

  private Optional<JsonObject> send(
      Method method, ApiPath path, Map<String, String> query, JsonObject body) {
    byte[] bytes = body.isEmpty() ? new byte[0] : body.toString().getBytes(StandardCharsets.UTF_8);
    String media = method == Method.PATCH ? "application/merge-patch+json" : "application/json";
    WriteRequest request =
        new WriteRequest(method, path, query, media, "churn/1 (watchgate sandbox)", bytes);
    try {
      return Optional.of(
          parse(new String(writes.answer(request).object(), StandardCharsets.UTF_8)));
    } catch (StatusException e) {
      if (e.code() != 404 && e.code() != 409) {
        log.warn("{} of {} was refused: {}", method, path.resource(), e.getMessage());
      }
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    sources.values().forEach(TypeLease::close);
  }
}
