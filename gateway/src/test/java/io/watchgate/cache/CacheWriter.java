package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import io.watchgate.json.KubeObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writer of a cache, in place of a reflector, for tests of readers. */
public final class CacheWriter {
  public static final ApiResource TYPE =
      new ApiResource("", "v1", "configmaps", "ConfigMap", ApiResource.Scope.NAMESPACED);
  public static final TypeDefinition DEFINITION =
      new TypeDefinition(TYPE, "configmap", List.of("cm"), List.of("list", "watch"), "", List.of());

  private final WatchCache cache;
  private final WatchApplier applier;

  public CacheWriter(CacheSettings settings, TimeSource time) {
    this(settings, HeapBudget.unbounded(), time);
  }

  /**
   * @param heap budget that its history and laggards share
   */
  public CacheWriter(CacheSettings settings, HeapBudget heap, TimeSource time) {
    this.cache = new WatchCache(DEFINITION, settings, heap, time, CacheMetrics.NONE);
    this.applier =
        new WatchApplier(cache.sink(), FieldPaths.NONE, cache.skipped(), CacheMetrics.NONE);
  }

  /** Returns settings with limits that no test reaches by accident. */
  public static CacheSettings settings() {
    return CacheSettings.forHeap(1L << 30).withHistory(Duration.ofHours(1), 1L << 30);
  }

  public WatchCache cache() {
    return cache;
  }

  /** Returns a lease that runs {@code whenReleased} when it is given back. */
  public TypeLease lease(Runnable whenReleased) {
    return new TypeLease(cache, whenReleased);
  }

  public Revision head() {
    Revision head = cache.head();
    if (head == null) {
      throw new AssertionError("nothing was listed yet");
    }
    return head;
  }

  public @Nullable KubeObject held(String key) {
    return head().state().get(key.getBytes(StandardCharsets.UTF_8));
  }

  /** Sets the answers to upstream lookups of the cache. */
  public void upstreamLookups(UpstreamLookups answers) {
    cache.upstreamLookups(answers);
  }

  /** Backfills history since a version, as for tokens that are older than the cache. */
  public boolean backfill(
      long version, Collection<SampleObject> base, Consumer<Upstream.WatchSink> events) {
    Revision oldest = Objects.requireNonNull(cache.oldest());
    StateMap state =
        StateMap.ofSorted(
            base.stream()
                .map(SampleObject::view)
                .sorted((a, b) -> StateMap.compare(a.key(), b.key()))
                .toList());
    BackfilledHistory past =
        new BackfilledHistory(
            new ResourceVersion(Long.toString(version)), state, oldest, Long.MAX_VALUE);
    try {
      WatchApplier into =
          new WatchApplier(past, FieldPaths.NONE, cache.skipped(), CacheMetrics.NONE);
      events.accept(into);
      into.bookmark(oldest.version().digits(), Upstream.BookmarkKind.PROGRESS);
      return false;
    } catch (BackfilledHistory.Complete e) {
      return cache.prepend(past);
    }
  }

  /** Publishes the first list, or a later one; a list that goes back is another history. */
  public Revision.Kind list(long version, Collection<SampleObject> objects) {
    List<SampleObject> sorted = new ArrayList<>(objects);
    sorted.sort((a, b) -> StateMap.compare(a.view().key(), b.view().key()));
    return listText(version, sorted.stream().map(SampleObject::json).toList());
  }

  /** Publishes a list of objects in any form. */
  public Revision.Kind listText(long version, List<String> objects) {
    Revision head = cache.head();
    ListCollector collector =
        ListCollector.replacing(
            head == null ? StateMap.EMPTY : head.state(),
            FieldPaths.NONE,
            cache.skipped(),
            cache.budget());
    objects.forEach(object -> collector.item(object.getBytes(StandardCharsets.UTF_8)));
    ResourceVersion at = new ResourceVersion(Long.toString(version));
    Revision.Kind kind = cache.list(at, collector.state(), cache.now());
    cache.upstreamState(UpstreamState.of(UpstreamState.Phase.WATCHING));
    return kind;
  }

  public Revision.Kind list(long version, SampleObject... objects) {
    return list(version, List.of(objects));
  }

  public void event(Upstream.EventType type, SampleObject object) {
    event(type, object.json());
  }

  /** Applies an event with an object in any form. */
  public void event(Upstream.EventType type, String object) {
    byte[] bytes = object.getBytes(StandardCharsets.UTF_8);
    applier.event(type, bytes, 0, bytes.length);
  }

  /** Applies ADDED or MODIFIED or, with another uid, a re-creation in one event. */
  public void put(SampleObject object) {
    event(Upstream.EventType.MODIFIED, object);
  }

  public void delete(SampleObject object, long version) {
    event(Upstream.EventType.DELETED, object.at(version));
  }

  public void bookmark(long version) {
    applier.bookmark(Long.toString(version), Upstream.BookmarkKind.PROGRESS);
  }

  /** Records an answer of the apiserver that nothing exists beyond the cached version. */
  public void prove() {
    cache.recordAnswer(head().version(), cache.now());
  }

  public void upstream(UpstreamState.Phase phase, @Nullable UpstreamFailure failure) {
    cache.upstreamState(new UpstreamState(phase, failure));
  }
}
