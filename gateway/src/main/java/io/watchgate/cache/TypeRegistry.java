package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The types that are open upstream: opened by the first who asks, one list-watch each, closed some
 * time after the last one left. Thread-safe; nothing blocks under the lock.
 */
public final class TypeRegistry implements AutoCloseable {
  private final Cluster cluster;
  private final CacheSettings settings;
  private final TimeSource time;
  private final ScheduledExecutorService timer;
  private final ThreadFactory threads;
  private final Function<TypeDefinition, FieldPaths> paths;
  private final Function<ResourceType, CacheMetrics> metrics;
  private final StateBudget budget;
  private final Map<TypeDefinition, Entry> open = new HashMap<>();

  /** Types that were too large, and when that was: they are not listed again for a while. */
  private final Map<TypeDefinition, Long> tooLarge = new HashMap<>();

  private boolean closed;

  public TypeRegistry(
      Cluster cluster,
      CacheSettings settings,
      TimeSource time,
      ScheduledExecutorService timer,
      ThreadFactory threads,
      Function<TypeDefinition, FieldPaths> paths,
      Function<ResourceType, CacheMetrics> metrics) {
    this.cluster = cluster;
    this.settings = settings;
    this.time = time;
    this.timer = timer;
    this.threads = threads;
    this.paths = paths;
    this.metrics = metrics;
    this.budget = new StateBudget(settings);
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
   * anew, failed) is opened afresh; those who still hold the old one see its end. One that was too
   * large is not tried again for a while: what is leased then has ended already.
   *
   * @throws IllegalStateException once the registry is closed
   */
  public OpenType acquire(TypeDefinition definition) {
    synchronized (open) {
      if (closed) {
        throw new IllegalStateException("the gateway is shutting down");
      }
      forgetEnded();
      Entry entry = open.get(definition);
      noteSize(definition, entry);
      if (isTooLarge(definition)) {
        return refused(definition);
      }
      if (entry == null || entry.cache.upstream().phase().isEnd()) {
        entry = newEntry(definition);
        start(entry);
        open.put(definition, entry);
      }
      entry.leases++;
      entry.generation++;
      Entry leased = entry;
      return new OpenType(entry.cache, () -> release(definition, leased));
    }
  }

  /**
   * What has ended and is read by nobody: a definition that was replaced is not asked for again.
   */
  private void forgetEnded() {
    for (Map.Entry<TypeDefinition, Entry> each : List.copyOf(open.entrySet())) {
      Entry entry = each.getValue();
      if (entry.leases == 0 && entry.cache.upstream().phase().isEnd()) {
        noteSize(each.getKey(), entry);
        open.remove(each.getKey(), entry);
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

  private void noteSize(TypeDefinition definition, @Nullable Entry entry) {
    if (entry != null && entry.cache.upstream().phase() == UpstreamState.Phase.TOO_LARGE) {
      tooLarge.put(definition, time.nanoTime());
      open.remove(definition, entry);
    }
  }

  private boolean isTooLarge(TypeDefinition definition) {
    Long since = tooLarge.get(definition);
    if (since != null && time.nanoTime() - since >= settings.states().refusedFor().toNanos()) {
      tooLarge.remove(definition);
      return false;
    }
    return since != null;
  }

  /** Holds nothing but the answer. */
  private OpenType refused(TypeDefinition definition) {
    WatchCache cache = new WatchCache(definition, settings, time, metrics.apply(definition.type()));
    cache.upstream(UpstreamState.of(UpstreamState.Phase.TOO_LARGE));
    return new OpenType(cache, () -> {});
  }

  private Entry newEntry(TypeDefinition definition) {
    CacheMetrics counted = metrics.apply(definition.type());
    WatchCache cache = new WatchCache(definition, settings, budget.open(), time, counted);
    Reflector reflector =
        new Reflector(
            cluster,
            cache,
            read(definition),
            settings,
            new Pace(time, RandomGenerator.getDefault(), Waiting.REAL),
            counted,
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

  private void release(TypeDefinition definition, Entry entry) {
    synchronized (open) {
      if (open.get(definition) == entry) {
        noteSize(definition, entry);
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
          timer.schedule(
              () -> closeUnused(definition, entry, generation), delay, TimeUnit.NANOSECONDS);
    }
  }

  private void closeUnused(TypeDefinition definition, Entry entry, long generation) {
    synchronized (open) {
      if (entry.leases > 0 || entry.generation != generation) {
        return;
      }
      open.remove(definition, entry);
    }
    entry.reflector.close();
  }

  /** The cache of a type if it is open now. */
  public @Nullable WatchCache find(ResourceType type) {
    for (WatchCache cache : caches()) {
      if (cache.definition().type().equals(type)) {
        return cache;
      }
    }
    return null;
  }

  /** What is open now. */
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
