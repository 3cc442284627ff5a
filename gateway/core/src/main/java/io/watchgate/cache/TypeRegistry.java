package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Registry of the types that are open upstream, one list-watch each. The first request for a type
 * opens it; it is closed some time after the last lease is given back ({@link
 * CacheSettings#unusedAfter}). Definitions that differ in details only share a list-watch.
 * Thread-safe; nothing blocks under the lock.
 */
public final class TypeRegistry implements AutoCloseable {
  private final Cluster cluster;
  private final CacheSettings settings;
  private final TimeSource time;
  private final ScheduledExecutorService timer;
  private final ThreadFactory threads;
  private final Function<TypeDefinition, FieldPaths> paths;
  private final Function<ApiResource, CacheMetrics> metrics;
  private final HeapBudget heap;
  private final StateBudget budget;

  /** Open types in the order in which they were opened. */
  private final Map<Key, Entry> open = new LinkedHashMap<>();

  /**
   * Types that were too large, and the time at which that was found: they are not listed again for
   * a while.
   */
  private final Map<Key, Long> tooLarge = new HashMap<>();

  /** Limits the number of concurrent comparisons after lost connections. */
  private final ComparisonPermits comparisonPermits;

  private boolean closed;

  public TypeRegistry(
      Cluster cluster,
      CacheSettings settings,
      TimeSource time,
      ScheduledExecutorService timer,
      ThreadFactory threads,
      Function<TypeDefinition, FieldPaths> paths,
      Function<ApiResource, CacheMetrics> metrics) {
    this.cluster = cluster;
    this.settings = settings;
    this.time = time;
    this.comparisonPermits =
        new ComparisonPermits(
            HistoryProofSettings.MAX_TYPES, HistoryProofSettings.PERMIT_TIME, time);
    this.timer = timer;
    this.threads = threads;
    this.paths = paths;
    this.metrics = metrics;
    this.heap = new HeapBudget(settings.states().heap());
    this.budget = new StateBudget(settings, heap);
  }

  /** Parts of a definition that determine the state: another value means another state. */
  private record Key(TypeReference name, ApiResource.Scope scope, String definitionUid) {
    static Key of(TypeDefinition definition) {
      ApiResource type = definition.type();
      return new Key(type.reference(), type.scope(), definition.definitionUid());
    }
  }

  private static final class Entry {
    final Key key;
    final WatchCache cache;
    final Reflector reflector;
    int leases;

    /** Incremented with every lease, so that a delayed close detects a newer lease. */
    long generation;

    /** Delayed close; null if none is scheduled. */
    @Nullable Future<?> closing;

    Entry(Key key, WatchCache cache, Reflector reflector) {
      this.key = key;
      this.cache = cache;
      this.reflector = reflector;
    }
  }

  /**
   * Opens the type, or adds a lease to the open type. A type whose list-watch has ended (redefined,
   * failed) is opened again; leases of the old list-watch see its end. A type that reads too few of
   * the definition's selectable fields is opened again as well, with the fields of both
   * definitions. A type that was too large is not tried again for a while: the lease has a cache in
   * the phase TOO_LARGE.
   *
   * @throws IllegalStateException once the registry is closed, or if no thread can be started
   */
  public TypeLease acquire(TypeDefinition definition) {
    synchronized (open) {
      if (closed) {
        throw new IllegalStateException("the gateway is shutting down");
      }
      removeEnded();
      Key key = Key.of(definition);
      Entry entry = open.get(key);
      recordIfTooLarge(key, entry);
      if (isTooLarge(key)) {
        return refusedLease(definition);
      }
      if (entry == null || entry.cache.upstreamState().phase().isEnd()) {
        entry = openAs(key, definition);
      } else if (!entry.cache.definition().covers(definition)) {
        Entry replaced = entry;
        entry = openAs(key, definition.withFieldsOf(replaced.cache.definition()));
        replaced.reflector.close();
      }
      entry.leases++;
      entry.generation++;
      if (entry.closing != null) {
        entry.closing.cancel(false); // each list takes a lease, perhaps a thousand times a second
        entry.closing = null;
      }
      Entry leased = entry;
      return new TypeLease(entry.cache, () -> release(leased));
    }
  }

  private Entry openAs(Key key, TypeDefinition definition) {
    Entry entry = newEntry(key, definition);
    start(entry);
    open.remove(key); // so that the new entry is the last
    open.put(key, entry);
    return entry;
  }

  /** Removes ended types without readers. A definition that was replaced would otherwise stay. */
  private void removeEnded() {
    for (Map.Entry<Key, Entry> each : List.copyOf(open.entrySet())) {
      Entry entry = each.getValue();
      if (entry.leases == 0 && entry.cache.upstreamState().phase().isEnd()) {
        recordIfTooLarge(each.getKey(), entry);
        open.remove(each.getKey(), entry);
        entry.cache.markUnused();
      }
    }
  }

  /**
   * Starts an entry. If it cannot start, for lack of threads, the entry is not registered, and the
   * next request tries again.
   */
  private static void start(Entry entry) {
    try {
      entry.reflector.start();
    } catch (RuntimeException e) {
      entry.reflector.close();
      throw e;
    }
  }

  private void recordIfTooLarge(Key key, @Nullable Entry entry) {
    if (entry != null
        && entry.cache.upstreamState().phase() == UpstreamState.ReflectorPhase.TOO_LARGE) {
      tooLarge.put(key, time.nanoTime());
      open.remove(key, entry);
    }
  }

  private boolean isTooLarge(Key key) {
    Long since = tooLarge.get(key);
    if (since != null && time.nanoTime() - since >= settings.states().refusedFor().toNanos()) {
      tooLarge.remove(key);
      return false;
    }
    return since != null;
  }

  /** Returns a lease without a list-watch, whose cache only says that the type is too large. */
  private TypeLease refusedLease(TypeDefinition definition) {
    WatchCache cache = new WatchCache(definition, settings, time, metrics.apply(definition.type()));
    cache.setUpstreamState(UpstreamState.of(UpstreamState.ReflectorPhase.TOO_LARGE));
    return new TypeLease(cache, () -> {});
  }

  private Entry newEntry(Key key, TypeDefinition definition) {
    CacheMetrics counted = metrics.apply(definition.type());
    WatchCache cache = new WatchCache(definition, settings, budget.open(), heap, time, counted);
    Reflector reflector =
        new Reflector(
            cluster,
            cache,
            fieldPaths(definition),
            new ReflectorClock(time, RandomGenerator.getDefault(), ReflectorClock.Sleeper.REAL),
            counted,
            comparisonPermits,
            threads);
    return new Entry(key, cache, reflector);
  }

  private FieldPaths fieldPaths(TypeDefinition definition) {
    FieldPaths read = paths.apply(definition);
    return switch (settings.managedFields()) {
      case KEPT -> read;
      case DROPPED -> read.withoutManagedFields();
    };
  }

  private void release(Entry entry) {
    synchronized (open) {
      if (open.get(entry.key) == entry) {
        recordIfTooLarge(entry.key, entry);
      }
      if (--entry.leases > 0 || closed) {
        return;
      }
      boolean ended = entry.cache.upstreamState().phase().isEnd();
      if (!ended && settings.unusedAfter().isZero()) {
        return;
      }
      long generation = entry.generation;
      long delay = ended ? 0 : settings.unusedAfter().toNanos();
      entry.closing =
          timer.schedule(() -> closeUnused(entry, generation), delay, TimeUnit.NANOSECONDS);
    }
  }

  private void closeUnused(Entry entry, long generation) {
    synchronized (open) {
      if (entry.leases > 0 || entry.generation != generation) {
        return;
      }
      open.remove(entry.key, entry);
    }
    entry.cache.markUnused();
    entry.reflector.close();
  }

  /**
   * Returns the cache of a type if it is open now; the newest if its definition was just replaced.
   */
  public @Nullable WatchCache find(ApiResource type) {
    WatchCache found = null;
    for (WatchCache cache : caches()) {
      if (cache.definition().type().reference().equals(type.reference())) {
        found = cache;
      }
    }
    return found;
  }

  /** Returns the number of types that wait to be compared with the apiserver. */
  public int waitingComparisons() {
    return comparisonPermits.waiting();
  }

  /**
   * Returns the open caches, in the order in which they were opened. A type whose definition is
   * being replaced is included twice for a moment.
   */
  public List<WatchCache> caches() {
    synchronized (open) {
      List<WatchCache> caches = new ArrayList<>();
      for (Entry entry : open.values()) {
        if (!entry.cache.upstreamState().phase().isEnd()) {
          caches.add(entry.cache);
        }
      }
      return caches;
    }
  }

  /** Returns the bytes of all objects of all types, loading types included. */
  public long stateBytes() {
    return budget.used();
  }

  /** Returns the present maximum of {@link #stateBytes}. */
  public long stateLimit() {
    return budget.limit();
  }

  /** Returns the budget that the types share with all other parts of the gateway. */
  public HeapBudget heap() {
    return heap;
  }

  @Override
  public void close() {
    List<Entry> entries;
    synchronized (open) {
      closed = true;
      entries = new ArrayList<>(open.values());
      open.clear();
    }
    entries.forEach(entry -> entry.reflector.close());
  }
}
