package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.HeapBudget;
import io.watchgate.cache.LocalCache;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.TimeSource;
import io.watchgate.http.ServedResource;
import io.watchgate.json.FieldPaths;
import io.watchgate.json.JsonException;
import io.watchgate.json.KubeObject;
import io.watchgate.select.SelectableFields;
import java.util.ArrayList;
import java.util.List;

/** Factory of the types' caches. */
final class CacheFactory {
  private final CacheSettings settings;
  private final HeapBudget heap;
  private final TimeSource time;

  CacheFactory(CacheSettings settings, TimeSource time) {
    // The store bounds the bytes of all caches before a write; a cache that found itself too large
    // later could only end. So caches have no bounds of their own. Their histories share the heap.
    this.heap = HeapBudget.withReserved(settings.states().heap() / 2, settings.states().heap());
    this.settings =
        settings.with(
            new CacheSettings.States(
                settings.states().heap(),
                Long.MAX_VALUE / 2,
                Long.MAX_VALUE / 2,
                settings.states().refusedFor()));
    this.time = time;
  }

  /** Returns a version of a type, without objects. */
  StoredVersion empty(ServedResource served, VersionConverter shape, ResourceVersion version) {
    FieldPaths paths = SelectableFields.of(served.definition()).paths();
    return new StoredVersion(
        served,
        new LocalCache(served.definition(), paths, settings, heap, time, version, List.of()),
        shape);
  }

  /**
   * Returns a custom type with all its served versions.
   *
   * @param objects the existing objects of the type, in key order
   */
  StoredType custom(CrdReader definition, List<JsonObject> objects, ResourceVersion version) {
    List<StoredVersion> versions = new ArrayList<>();
    for (ServedResource served : definition.served()) {
      FieldPaths paths = SelectableFields.of(served.definition()).paths();
      List<KubeObject> views = new ArrayList<>();
      for (JsonObject object : objects) {
        views.add(read(object, served, paths));
      }
      LocalCache cache =
          new LocalCache(served.definition(), paths, settings, heap, time, version, views);
      versions.add(new StoredVersion(served, cache, VersionConverter.SAME));
    }
    return new StoredType(definition.strategy(), versions);
  }

  private static KubeObject read(JsonObject object, ServedResource served, FieldPaths paths) {
    JsonObject shown = ObjectNormalizer.withIdentity(object, served.definition().type());
    try {
      return KubeObject.read(GoJsonText.bytes(shown, GoJsonText.Order.SORTED), paths);
    } catch (JsonException e) {
      throw new IllegalStateException("an object was stored that cannot be read", e);
    }
  }
}
