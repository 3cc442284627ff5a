package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import io.watchgate.json.JsonException;
import io.watchgate.json.KubeObject;
import java.util.List;

/**
 * Cache that is the source of its objects instead of a copy of upstream: the cache of the embedded
 * apiserver. It begins empty and up to date. Not thread-safe: there is one writer at a time;
 * readers use {@link #cache}.
 */
public final class LocalCache {
  private final WatchCache cache;
  private final FieldPaths paths;

  /**
   * Creates an empty cache.
   *
   * @param paths field paths to read objects with
   * @param version first version of the type
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
   * Creates a cache that begins with {@code objects}, and without history.
   *
   * @param heap budget that its history shares with other caches
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
    cache.publishList(version, StateMap.ofSorted(objects), cache.now());
    cache.setUpstreamState(UpstreamState.of(UpstreamState.ReflectorPhase.WATCHING));
  }

  /** Returns the cache for readers. */
  public WatchCache cache() {
    return cache;
  }

  /**
   * Reads an object of this type. The array becomes part of the result.
   *
   * @throws JsonException if it is no object with name, uid and resourceVersion
   */
  public KubeObject read(byte[] object) throws JsonException {
    return KubeObject.read(object, paths);
  }

  /**
   * Publishes one change.
   *
   * @param version version above all versions before; deletes of one transaction share theirs
   * @throws IllegalArgumentException if the version is not above the head's, nor that of the
   *     deletes to which this one belongs
   */
  public void apply(ResourceVersion version, Change change) {
    Revision head = cache.head();
    boolean isSameTransaction =
        head != null
            && head.isOfDeletes()
            && change.now() == null
            && version.equals(head.version());
    if (head != null && !version.isAfter(head.version()) && !isSameTransaction) {
      throw new IllegalArgumentException(version + " is not after " + head);
    }
    cache.apply(version, List.of(change));
    cache.proofs().markUpToDate(cache.now());
  }

  /**
   * Publishes that the type did not change up to {@code version}; does nothing if that is known.
   */
  public void progress(ResourceVersion version) {
    cache.progress(version);
    cache.proofs().markUpToDate(cache.now());
  }

  /** Ends the cache and all watches on it, for example because the type is not served any more. */
  public void end() {
    cache.setUpstreamState(UpstreamState.of(UpstreamState.ReflectorPhase.GONE));
  }
}
