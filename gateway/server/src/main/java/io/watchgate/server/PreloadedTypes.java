package io.watchgate.server;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Cluster;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeLease;
import io.watchgate.cache.TypeReference;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.cache.WatchCache;
import io.watchgate.ops.ReadinessCheck;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Types of {@code --type}: opened at the start, kept open, and reopened when their list-watch ends.
 * Each has one virtual thread, which only waits. Thread-safe.
 */
final class PreloadedTypes implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PreloadedTypes.class);

  /**
   * Lookups without an answer after which a type no longer holds up readiness: that takes about 20
   * s at the gateway's interval of 2 s, or a minute if discovery hangs. A discovery that fails for
   * a moment at the start must not make a replica ready that has loaded nothing; the API of an
   * aggregated apiserver may be away for days.
   */
  static final int MAX_UNANSWERED_LOOKUPS = 10;

  private final Cluster cluster;
  private final TypeRegistry registry;
  private final Duration retry;
  private final List<PreloadedType> all = new CopyOnWriteArrayList<>();
  private volatile boolean closed;

  /**
   * @param retry wait before a type is reopened after its end or a failed attempt
   */
  PreloadedTypes(Cluster cluster, TypeRegistry registry, Duration retry) {
    this.cluster = cluster;
    this.registry = registry;
    this.retry = retry;
  }

  /**
   * Opens a type and keeps it open. A type that the apiserver does not have is logged, and opened
   * once it exists.
   */
  void keep(TypeReference name) throws InterruptedException {
    PreloadedType kept = new PreloadedType(name);
    all.add(kept);
    TypeLease first = kept.open();
    kept.thread = Thread.ofVirtual().name("keep-" + name.resource()).start(() -> kept.keep(first));
  }

  /** Returns whether the type was named by {@code --type}. */
  boolean isPreloaded(ApiResource type) {
    return all.stream().anyMatch(kept -> kept.isOf(type));
  }

  /** Returns a check for each type, which fails until the type is loaded if it can be. */
  List<ReadinessCheck> checks() {
    return all.stream()
        .map(kept -> new ReadinessCheck("first list of " + kept.name, kept.notReadyReason()))
        .toList();
  }

  /** Returns the types that are kept open, and those that are not open yet with the reason. */
  String description() {
    Map<Boolean, List<PreloadedType>> byOpen =
        all.stream().collect(Collectors.partitioningBy(kept -> kept.cache != null));
    String open = text(byOpen.getOrDefault(true, List.of()), kept -> kept.name.toString());
    String missing =
        text(
            byOpen.getOrDefault(false, List.of()),
            kept -> kept.name + " (" + kept.lastWarning + ")");
    return (open.isEmpty() ? "none" : open)
        + (all.isEmpty() ? ", each is opened on demand" : "")
        + (missing.isEmpty() ? "" : "; not open: " + missing);
  }

  private static String text(List<PreloadedType> some, Function<PreloadedType, String> text) {
    return some.stream().map(text).collect(Collectors.joining(", "));
  }

  @Override
  public void close() {
    closed = true; // set before the loop: a thread started later sees it
    for (PreloadedType kept : all) {
      Thread thread = kept.thread;
      if (thread != null) {
        thread.interrupt();
      }
    }
  }

  private final class PreloadedType {
    private final TypeReference name;
    private volatile @Nullable WatchCache cache;
    private volatile @Nullable Thread thread;
    private volatile String lastWarning = "";

    /** Number of lookups in a row without an answer. Written by one thread at a time. */
    private volatile int unanswered;

    PreloadedType(TypeReference name) {
      this.name = name;
    }

    boolean isOf(ApiResource type) {
      WatchCache known = cache;
      return known != null
          ? known.definition().type().groupResource().equals(type.groupResource())
          : type.resource().equals(name.resource()) && type.group().equals(name.group());
    }

    /** Returns why the gateway is not ready because of this type; empty if it is. */
    String notReadyReason() {
      WatchCache held = cache;
      if (held != null && held.head() == null && !held.upstreamState().phase().isEnd()) {
        var failure = held.upstreamState().failure();
        return held.definition().type().groupResource()
            + " are still being loaded"
            + (failure == null ? "" : ": " + failure.message());
      }
      return held == null && isAwaitingAnswer()
          ? name + " cannot be looked up yet: " + lastWarning
          : "";
    }

    /** Returns whether the apiserver has not said yet whether the type exists. */
    boolean isAwaitingAnswer() {
      int failed = unanswered;
      return failed > 0 && failed < MAX_UNANSWERED_LOOKUPS;
    }

    void keep(@Nullable TypeLease first) {
      try {
        TypeLease lease = first;
        while (!closed) {
          if (lease != null) {
            try (TypeLease held = lease) {
              awaitEnd(held.cache());
            }
          }
          Thread.sleep(retry);
          lease = reopen();
        }
      } catch (InterruptedException e) {
        log.debug("--type {}: no longer kept", name);
      }
    }

    private @Nullable TypeLease reopen() throws InterruptedException {
      try {
        return open();
      } catch (RuntimeException e) {
        if (!closed) {
          log.error("--type {}: it could not be opened; trying again", name, e);
        }
        return null;
      }
    }

    private void awaitEnd(WatchCache watched) throws InterruptedException {
      Semaphore signal = new Semaphore(0);
      Runnable listener = signal::release;
      watched.addListener(listener);
      try {
        while (!watched.upstreamState().phase().isEnd()) {
          signal.acquire();
          signal.drainPermits();
        }
      } finally {
        watched.removeListener(listener);
      }
    }

    @Nullable TypeLease open() throws InterruptedException {
      Cluster.Resolution resolution = cluster.resolve(name);
      if (!(resolution instanceof Cluster.Unavailable)) {
        unanswered = 0;
      }
      return switch (resolution) {
        case Cluster.Found(TypeDefinition definition) when definition.isWatchable() -> {
          TypeLease lease = registry.acquire(definition);
          cache = lease.cache();
          yield lease;
        }
        case Cluster.Found found -> {
          warn(found.definition().type() + " cannot be listed and watched");
          yield null;
        }
        case Cluster.Unknown unknown -> {
          warn(
              "the apiserver knows no such resource type"
                  + (unknown.near().isEmpty()
                      ? ""
                      : "; near: " + String.join(", ", unknown.near())));
          yield null;
        }
        case Cluster.Unavailable unavailable -> {
          warn(unavailable.failure().message());
          unanswered = Math.min(unanswered + 1, MAX_UNANSWERED_LOOKUPS);
          yield null;
        }
      };
    }

    /** Logs a reason once, not with every attempt. */
    private void warn(String problem) {
      if (!problem.equals(lastWarning)) {
        log.warn("--type {}: {}", name, problem);
        lastWarning = problem;
      }
    }
  }
}
