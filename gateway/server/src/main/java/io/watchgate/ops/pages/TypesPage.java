package io.watchgate.ops.pages;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Revision;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.cache.UpstreamState;
import io.watchgate.cache.WatchCache;
import io.watchgate.fanout.RouterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Pages of the open types: the state of the watch of each, what it holds in memory, and what
 * happened last between it and the apiserver.
 */
public final class TypesPage {
  private final TypeRegistry types;
  private final RouterRegistry routers;
  private final UpstreamEvents events;

  public TypesPage(TypeRegistry types, RouterRegistry routers, UpstreamEvents events) {
    this.types = types;
    this.routers = routers;
    this.events = events;
  }

  /** Returns the pages. */
  public List<DebugPage> pages() {
    return List.of(
        new DebugPage(
            "/debug/types",
            DebugPage.Access.GUARDED,
            List.of(),
            "The open types: their watch, objects, history, pinned revisions, and the budgets.",
            query -> all()),
        new DebugPage(
            "/debug/types/",
            DebugPage.Access.GUARDED,
            List.of(),
            "One type, such as pods or deployments.apps, with its last lists and ends of watches.",
            query -> one(query.rest())),
        new DebugPage(
            "/debug/events",
            DebugPage.Access.GUARDED,
            List.of(),
            "What happened last between all types and the apiserver.",
            query -> {
              JsonObject content = new JsonObject();
              content.add("events", rows(events.all()));
              return content;
            }));
  }

  private JsonObject all() {
    JsonObject content = new JsonObject();
    content.addProperty("stateBytes", types.stateBytes());
    content.addProperty("stateBytesLimit", types.stateLimit());
    content.addProperty("outboundBytes", routers.outboundBytes());
    content.addProperty("snapshotBytes", routers.snapshotBytes());
    content.add("types", rows());
    return content;
  }

  /** Returns a row for each open type. */
  JsonArray rows() {
    Map<WatchCache, RouterRegistry.Measurement> measured =
        routers.measurements().stream()
            .collect(Collectors.toMap(RouterRegistry.Measurement::cache, Function.identity()));
    JsonArray rows = new JsonArray();
    for (WatchCache cache : types.caches()) {
      JsonObject row = new JsonObject();
      ApiResource type = cache.definition().type();
      row.addProperty("type", type.groupResource());
      row.addProperty("version", type.version());
      addState(row, cache);
      RouterRegistry.Measurement router = measured.get(cache);
      row.addProperty("feeds", router == null ? 0 : router.feeds());
      row.addProperty("pinnedRevisions", router == null ? 0 : router.pinnedRevisions());
      row.addProperty("pinnedBytes", router == null ? 0 : router.pinnedBytes());
      addFailure(row, cache);
      rows.add(row);
    }
    return rows;
  }

  /** Returns the last events of all types. */
  JsonArray lastEvents(int most) {
    List<UpstreamEvents.Event> all = events.all();
    return rows(all.subList(0, Math.min(most, all.size())));
  }

  private static void addState(JsonObject row, WatchCache cache) {
    UpstreamState upstream = cache.upstreamState();
    row.addProperty("phase", PageQuery.label(upstream.phase()));
    Revision head = cache.head();
    Revision oldest = cache.oldest();
    row.addProperty("resourceVersion", head == null ? "" : head.version().digits());
    row.addProperty(
        "stalenessSeconds", head == null ? null : seconds(cache.proofs().stalenessNanos()));
    row.addProperty("objects", head == null ? 0 : head.state().size());
    row.addProperty("objectBytes", head == null ? 0 : head.state().objectBytes());
    row.addProperty("historyRevisions", cache.historySize());
    row.addProperty("historyBytes", cache.historyBytes());
    row.addProperty(
        "historySeconds",
        head == null || oldest == null
            ? 0
            : Duration.between(oldest.receivedAt(), head.receivedAt()).toSeconds());
  }

  private static void addFailure(JsonObject row, WatchCache cache) {
    var failure = cache.upstreamState().failure();
    row.addProperty("failedAttempts", failure == null ? 0 : cache.failedAttempts());
    row.addProperty("failure", failure == null ? "" : failure.message());
  }

  static double seconds(long nanos) {
    return Duration.ofNanos(nanos).toMillis() / 1e3;
  }

  private JsonObject one(String name) throws PageException {
    WatchCache cache = find(types, name);
    ApiResource type = cache.definition().type();
    JsonObject content = new JsonObject();
    content.addProperty("type", type.groupResource());
    content.addProperty("version", type.version());
    content.addProperty("kind", type.kind());
    addState(content, cache);
    content.addProperty("historyBytesLimit", cache.historyLimit());
    Revision head = cache.head();
    content.addProperty("lastChange", head == null ? "" : TextPage.time(head.receivedAt()));
    TimeSource.Reading verified = cache.proofs().provenByVersion();
    content.addProperty("verifiedAt", verified == null ? "" : TextPage.time(verified.wall()));
    content.addProperty("unreadableObjects", cache.skippedObjects());
    addFailure(content, cache);
    content.add("events", rows(events.ofType(type.groupResource())));
    return content;
  }

  /** Returns the cache of an open type by its plural, with its group after a dot. */
  static WatchCache find(TypeRegistry types, String name) throws PageException {
    List<WatchCache> open = types.caches();
    return open.stream()
        .filter(cache -> cache.definition().type().groupResource().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                PageException.notFound(
                    "the type '"
                        + name
                        + "' is not open; open are "
                        + (open.isEmpty()
                            ? "none"
                            : open.stream()
                                .map(cache -> cache.definition().type().groupResource())
                                .sorted()
                                .collect(Collectors.joining(", ")))));
  }

  private static JsonArray rows(List<UpstreamEvents.Event> events) {
    JsonArray rows = new JsonArray();
    for (UpstreamEvents.Event event : events) {
      JsonObject row = new JsonObject();
      row.addProperty("time", TextPage.time(event.time()));
      row.addProperty("type", event.type());
      row.addProperty("event", event.kind().label());
      row.addProperty("reason", event.reason());
      rows.add(row);
    }
    return rows;
  }
}
