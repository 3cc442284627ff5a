package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.Change;
import io.watchgate.cache.Revision;
import io.watchgate.cache.VirtualTime;
import io.watchgate.cache.WatchCache;
import io.watchgate.http.ApiPath;
import io.watchgate.http.ResourceCatalog;
import io.watchgate.http.ServedResource;
import io.watchgate.http.StatusException;
import io.watchgate.http.WriteBackend;
import io.watchgate.http.WriteRequest;
import io.watchgate.http.WriteRequest.Method;
import io.watchgate.json.KubeObject;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A sandbox with a manual clock, used through the same requests as over HTTP. */
final class SandboxUnderTest implements AutoCloseable {
  static final String NOW = "2026-01-01T00:00:00Z";
  private static final long MAX_BYTES = 64L << 20;

  private final VirtualTime time = new VirtualTime();
  final Sandbox sandbox;

  SandboxUnderTest() {
    this(MAX_BYTES);
  }

  SandboxUnderTest(long maxBytes) {
    sandbox =
        Sandbox.create(
            new SandboxSettings(
                CacheSettings.forHeap(MAX_BYTES),
                maxBytes,
                Duration.ofHours(1),
                Duration.ofSeconds(30),
                1),
            time.source(),
            time);
  }

  /** Advances the clock and runs the maintenance that is due. */
  void advance(Duration duration) {
    time.advance(duration);
  }

  JsonObject post(String path, String body) throws StatusException {
    return send(Method.POST, path, body);
  }

  JsonObject put(String path, String body) throws StatusException {
    return send(Method.PUT, path, body);
  }

  JsonObject merge(String path, String body) throws StatusException {
    return send(Method.PATCH, path, body, "application/merge-patch+json");
  }

  JsonObject delete(String path) throws StatusException {
    return send(Method.DELETE, path, "");
  }

  JsonObject send(Method method, String path, String body) throws StatusException {
    return send(method, path, body, "application/json");
  }

  JsonObject send(Method method, String path, String body, String media) throws StatusException {
    return parse(answer(method, path, body, media).object());
  }

  WriteBackend.Answer answer(Method method, String path, String body, String media)
      throws StatusException {
    int mark = path.indexOf('?');
    Map<String, String> query = new LinkedHashMap<>();
    if (mark >= 0) {
      for (String parameter : path.substring(mark + 1).split("&", -1)) {
        String[] parts = parameter.split("=", 2);
        query.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
      }
    }
    ApiPath where = ApiPath.parse(mark < 0 ? path : path.substring(0, mark)).orElseThrow();
    return sandbox
        .writes()
        .answer(
            new WriteRequest(
                method, where, query, media, "test", body.getBytes(StandardCharsets.UTF_8)));
  }

  /** Returns the current object; throws if there is none. */
  JsonObject get(String path) {
    return parse(bytes(path));
  }

  boolean has(String path) {
    return view(path) != null;
  }

  byte[] bytes(String path) {
    return Objects.requireNonNull(view(path), path).bytes();
  }

  private @Nullable KubeObject view(String path) {
    ApiPath where = ApiPath.parse(path).orElseThrow();
    String key =
        where.namespace().isEmpty() ? where.name() : where.namespace() + "/" + where.name();
    return Objects.requireNonNull(cache(where).head())
        .state()
        .get(key.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns the cache for the path of a collection. */
  WatchCache cache(String path) {
    return cache(ApiPath.parse(path).orElseThrow());
  }

  private WatchCache cache(ApiPath where) {
    return source(where).cache();
  }

  ResourceCatalog.Source source(ApiPath where) {
    return sandbox.catalog().resources().stream()
        .map(ServedResource::definition)
        .filter(definition -> definition.type().group().equals(where.group()))
        .filter(definition -> definition.type().version().equals(where.version()))
        .filter(definition -> definition.type().resource().equals(where.resource()))
        .findFirst()
        .flatMap(definition -> sandbox.catalog().open(definition))
        .orElseThrow();
  }

  /**
   * Returns the changes of a collection after a revision: {@code +default/a ~default/a -default/a}.
   */
  List<String> since(Revision from) {
    List<String> seen = new ArrayList<>();
    for (Revision at = from.next(); at != null; at = at.next()) {
      for (Change change : at.changes()) {
        KubeObject now = change.now();
        KubeObject old = change.old();
        String sign = old == null ? "+" : now == null ? "-" : "~";
        KubeObject shown = now == null ? Objects.requireNonNull(old) : now;
        seen.add(sign + new String(shown.key(), StandardCharsets.UTF_8));
      }
    }
    return seen;
  }

  Revision head(String path) {
    return Objects.requireNonNull(cache(path).head());
  }

  static JsonObject parse(byte[] json) {
    return JsonParser.parseString(new String(json, StandardCharsets.UTF_8)).getAsJsonObject();
  }

  static JsonObject parse(String json) {
    return JsonParser.parseString(json).getAsJsonObject();
  }

  @Override
  public void close() {
    sandbox.close();
  }
}
