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
  private final Map<TypeDefinition, Entry> open = new HashMap<>();
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
   * anew, too large, failed) is opened afresh; those who still hold the old one see its end.
   *
   * @throws IllegalStateException once the registry is closed
   */
  public OpenType acquire(TypeDefinition definition) {
    synchronized (open) {
      if (closed) {
        throw new IllegalStateException("the gateway is shutting down");
      }
      Entry entry = open.get(definition);
      if (entry == null || entry.cache.upstream().phase().isEnd()) {
        entry = newEntry(definition);
        open.put(definition, entry);
        entry.reflector.start();
      }
      entry.leases++;
      entry.generation++;
      Entry leased = entry;
      return new OpenType(entry.cache, () -> release(definition, leased));
    }
  }

  private Entry newEntry(TypeDefinition definition) {
    CacheMetrics counted = metrics.apply(definition.type());
    WatchCache cache = new WatchCache(definition, settings, time, counted);
    Reflector reflector =
        new Reflector(
            cluster,
            cache,
            paths.apply(definition),
            settings,
            new Pace(time, RandomGenerator.getDefault(), Waiting.REAL),
            counted,
            threads);
    return new Entry(cache, reflector);
  }

  private void release(TypeDefinition definition, Entry entry) {
    synchronized (open) {
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

  /** Bytes of all objects of all types. */
  public long stateBytes() {
    long bytes = 0;
    for (WatchCache cache : caches()) {
      Revision head = cache.head();
      bytes += head == null ? 0 : head.state().objectBytes();
    }
    return bytes;
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
