package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The types that are open upstream: opened by the first request for one, one list-watch each,
 * closed some time after the last lease is given back. Definitions that differ in details only
 * share a list-watch. Thread-safe; nothing blocks under the lock.
 */
public final class TypeRegistry implements AutoCloseable {
  /**
   * Types that are compared with the apiserver at a time after connections were lost: each lists
   * all metadata of a type, and a lost apiserver cuts all types at once.
   */
  private static final int PROOFS = 4;

  private final Cluster cluster;
  private final CacheSettings settings;
  private final TimeSource time;
  private final ScheduledExecutorService timer;
  private final ThreadFactory threads;
  private final Function<TypeDefinition, FieldPaths> paths;
  private final Function<ApiResource, CacheMetrics> metrics;
  private final HeapBudget heap;
  private final StateBudget budget;

  /** In the order in which they were opened. */
  private final Map<Key, Entry> open = new LinkedHashMap<>();

  /** Types that were too large, and when that was: they are not listed again for a while. */
  private final Map<Key, Long> tooLarge = new HashMap<>();

  /** Comparisons after lost connections that may run at a time. */
  private final Semaphore proofs = new Semaphore(PROOFS, true);

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
    this.timer = timer;
    this.threads = threads;
    this.paths = paths;
    this.metrics = metrics;
    this.heap = new HeapBudget(settings.states().heap());
    this.budget = new StateBudget(settings, heap);
  }

  /** The parts of a definition of which another value means another state. */
  private record Key(TypeReference name, ApiResource.Scope scope, String definitionUid) {
    static Key of(TypeDefinition definition) {
      ApiResource type = definition.type();
      return new Key(type.name(), type.scope(), definition.definitionUid());
    }
  }

  private static final class Entry {
    final WatchCache cache;
    final Reflector reflector;
    int leases;

    /** Grows with every lease, so that a delayed closing sees whether it is still meant. */
    long generation;

    Entry(WatchCache cache, Reflector reflector) {
      this.cache = cache;
      this.reflector = reflector;
    }
  }

  /**
   * Opens the type, or joins those who read it already. A type whose list-watch has ended (defined
   * anew, failed) is opened afresh; those who still hold the old one see its end. So is one that
   * reads too few of the definition's selectable fields; the new one reads those of both. One that
   * was too large is not tried again for a while: what is leased then has ended already.
   *
   * @throws IllegalStateException once the registry is closed
   */
  public TypeLease acquire(TypeDefinition definition) {
    synchronized (open) {
      if (closed) {
        throw new IllegalStateException("the gateway is shutting down");
      }
      forgetEnded();
      Key key = Key.of(definition);
      Entry entry = open.get(key);
      noteSize(key, entry);
      if (isTooLarge(key)) {
        return refused(definition);
      }
      if (entry == null || entry.cache.upstream().phase().isEnd()) {
        entry = openAs(key, definition);
      } else if (!entry.cache.definition().covers(definition)) {
        Entry replaced = entry;
        entry = openAs(key, definition.withFieldsOf(replaced.cache.definition()));
        replaced.reflector.close();
      }
      entry.leases++;
      entry.generation++;
      Entry leased = entry;
      return new TypeLease(entry.cache, () -> release(key, leased));
    }
  }

  private Entry openAs(Key key, TypeDefinition definition) {
    Entry entry = newEntry(definition);
    start(entry);
    open.remove(key); // so that the new one is the last
    open.put(key, entry);
    return entry;
  }

  /**
   * What has ended and is read by nobody: a definition that was replaced is not asked for again.
   */
  private void forgetEnded() {
    for (Map.Entry<Key, Entry> each : List.copyOf(open.entrySet())) {
      Entry entry = each.getValue();
      if (entry.leases == 0 && entry.cache.upstream().phase().isEnd()) {
        noteSize(each.getKey(), entry);
        open.remove(each.getKey(), entry);
        entry.cache.closedUnused();
      }
    }
  }

  /** One that cannot start, for want of threads, is nobody's: whoever asks next tries again. */
  private static void start(Entry entry) {
    try {
      entry.reflector.start();
    } catch (RuntimeException | Error e) {
      entry.reflector.close();
      throw e;
    }
  }

  private void noteSize(Key key, @Nullable Entry entry) {
    if (entry != null && entry.cache.upstream().phase() == UpstreamState.Phase.TOO_LARGE) {
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

  /** Holds nothing but the answer. */
  private TypeLease refused(TypeDefinition definition) {
    WatchCache cache = new WatchCache(definition, settings, time, metrics.apply(definition.type()));
    cache.upstream(UpstreamState.of(UpstreamState.Phase.TOO_LARGE));
    return new TypeLease(cache, () -> {});
  }

  private Entry newEntry(TypeDefinition definition) {
    CacheMetrics counted = metrics.apply(definition.type());
    WatchCache cache = new WatchCache(definition, settings, budget.open(), heap, time, counted);
    Reflector reflector =
        new Reflector(
            cluster,
            cache,
            read(definition),
            settings,
            new ReflectorClock(time, RandomGenerator.getDefault(), Sleeper.REAL),
            counted,
            proofs,
            threads);
    return new Entry(cache, reflector);
  }

  private FieldPaths read(TypeDefinition definition) {
    FieldPaths read = paths.apply(definition);
    return switch (settings.managedFields()) {
      case KEPT -> read;
      case DROPPED -> read.withoutManagedFields();
    };
  }

  private void release(Key key, Entry entry) {
    synchronized (open) {
      if (open.get(key) == entry) {
        noteSize(key, entry);
      }
      if (--entry.leases > 0 || closed) {
        return;
      }
      boolean ended = entry.cache.upstream().phase().isEnd();
      if (!ended && settings.unusedAfter().isZero()) {
        return;
      }
      long generation = entry.generation;
      long delay = ended ? 0 : settings.unusedAfter().toNanos();
      var _ =
          timer.schedule(() -> closeUnused(key, entry, generation), delay, TimeUnit.NANOSECONDS);
    }
  }

  private void closeUnused(Key key, Entry entry, long generation) {
    synchronized (open) {
      if (entry.leases > 0 || entry.generation != generation) {
        return;
      }
      open.remove(key, entry);
    }
    entry.cache.closedUnused();
    entry.reflector.close();
  }

  /** The cache of a type if it is open now; the newest if its definition was just replaced. */
  public @Nullable WatchCache find(ApiResource type) {
    WatchCache found = null;
    for (WatchCache cache : caches()) {
      if (cache.definition().type().name().equals(type.name())) {
        found = cache;
      }
    }
    return found;
  }

  /** Types that wait for their turn to be compared with the apiserver. */
  public int waitingProofs() {
    return proofs.getQueueLength();
  }

  /**
   * What is open now, in the order in which it was opened. A type of which one definition replaces
   * another is among it twice for a moment.
   */
  public List<WatchCache> caches() {
    synchronized (open) {
      List<WatchCache> caches = new ArrayList<>();
      for (Entry entry : open.values()) {
        if (!entry.cache.upstream().phase().isEnd()) {
          caches.add(entry.cache);
        }
      }
      return caches;
    }
  }

  /** Bytes of all objects of all types, those included that are being loaded. */
  public long stateBytes() {
    return budget.used();
  }

  /** The most that they may be now. */
  public long stateLimit() {
    return budget.limit();
  }

  /** What the types share with all other parts of the gateway. */
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
