package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import io.watchgate.json.JsonException;
import io.watchgate.json.KubeObject;
import java.util.List;

/**
 * A cache whose objects are owned here, not upstream: that of the embedded apiserver. It begins
 * empty and up to date. Not thread-safe: there is one writer at a time; readers use {@link #cache}.
 */
public final class LocalCache {
  private final WatchCache cache;
  private final FieldPaths paths;

  /**
   * Makes an empty cache.
   *
   * @param paths what objects are to be read with
   * @param version where the type begins
   */
  public LocalCache(
      TypeDefinition definition,
      FieldPaths paths,
      CacheSettings settings,
      TimeSource time,
      ResourceVersion version) {
    this(definition, paths, settings, HeapBudget.unbounded(), time, version, List.of());
  }

  /**
   * Makes a cache that begins with these objects, and without history.
   *
   * @param heap that its history shares with others'
   * @param objects in the order of their keys, read with {@code paths}
   */
  public LocalCache(
      TypeDefinition definition,
      FieldPaths paths,
      CacheSettings settings,
      HeapBudget heap,
      TimeSource time,
      ResourceVersion version,
      List<KubeObject> objects) {
    this.paths = paths;
    this.cache = new WatchCache(definition, settings, heap, time, CacheMetrics.NONE);
    cache.list(version, StateMap.ofSorted(objects), cache.now());
    cache.upstream(UpstreamState.of(UpstreamState.Phase.WATCHING));
  }

  /** For reading. */
  public WatchCache cache() {
    return cache;
  }

  /**
   * Reads an object as this type's objects are read. The array becomes part of it.
   *
   * @throws JsonException if it is no object with name, uid and resourceVersion
   */
  public KubeObject read(byte[] object) throws JsonException {
    return KubeObject.read(object, paths);
  }

  /**
   * Publishes one change.
   *
   * @param version above all before
   * @throws IllegalArgumentException if it is not
   */
  public void apply(ResourceVersion version, Change change) {
    Revision head = cache.head();
    if (head != null && !version.isAfter(head.version())) {
      throw new IllegalArgumentException(version + " is not after " + head);
    }
    cache.apply(version, List.of(change));
    cache.upToDate(cache.now());
  }

  /** Says that the type did not change up to {@code version}; nothing if it is no news. */
  public void progress(ResourceVersion version) {
    cache.progress(version);
    cache.upToDate(cache.now());
  }

  /** Ends the cache, and every watch of it: the type is not served any more, or otherwise. */
  public void end() {
    cache.upstream(UpstreamState.of(UpstreamState.Phase.GONE));
  }
}
