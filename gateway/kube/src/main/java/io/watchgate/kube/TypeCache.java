package io.watchgate.kube;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Cluster;
import io.watchgate.cache.Cluster.Found;
import io.watchgate.cache.Cluster.Listing;
import io.watchgate.cache.Cluster.Resolution;
import io.watchgate.cache.Cluster.Unavailable;
import io.watchgate.cache.Cluster.Unknown;
import io.watchgate.cache.CustomColumn;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeReference;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.kube.CrdCache.Reading;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Cache of an apiserver's types. Cached answers are used at once, and refreshed in the background
 * when they are old ({@link KubeSettings.Ages#discovery}); a caller waits only for unknown types. A
 * thousand callers that wait for the same answer cost one question. Thread-safe.
 */
final class TypeCache {
  /** Unlimited wait: each request has a timeout of its own, so that every question ends. */
  private static final Duration NO_TIMEOUT = Duration.ofDays(1);

  private final KubeSettings settings;
  private final CrdCache definitions;
  private final RefreshedValue<Discovered> discovery;
  private final LongSupplier nanoTime;

  /**
   * The types at one moment.
   *
   * @param answeredAt time of discovery's answer. A definition that was read before may be older
   *     than the type.
   * @param namedSince time since which every discovery answer has named the type, by group and
   *     resource. A type that one answer lacked counts as created again.
   */
  private record Discovered(
      DiscoveredTypes catalog, long answeredAt, Map<String, Long> namedSince) {
    long namedSince(ApiResource type) {
      return Objects.requireNonNull(namedSince.get(type.groupResource()));
    }
  }

  /** Creates a cache, without a question yet. Questions in flight end with the client. */
  TypeCache(ApiserverAccess server, UpstreamHttpClient client, LongSupplier nanoTime) {
    this.settings = server.settings();
    this.nanoTime = nanoTime;
    Executor threads = task -> Thread.ofVirtual().name("discovery").start(task);
    this.definitions = new CrdCache(server, client, nanoTime, threads);
    this.discovery =
        new RefreshedValue<>(
            "discovery",
            (before, askedAt) -> discovered(new DiscoveryClient(server, client).discover(), before),
            nanoTime,
            threads);
  }

  private Discovered discovered(DiscoveredTypes asked, @Nullable Discovered before) {
    long answeredAt = nanoTime.getAsLong();
    DiscoveredTypes catalog = before == null ? asked : asked.withSilentGroupsOf(before.catalog);
    Map<String, Long> namedSince = new HashMap<>();
    for (String type : catalog.groupResources()) {
      Long since = before == null ? null : before.namedSince.get(type);
      namedSince.put(type, since == null ? answeredAt : since);
    }
    definitions.retainAll(namedSince.keySet());
    return new Discovered(catalog, answeredAt, Map.copyOf(namedSince));
  }

  /** Required age of an answer. */
  private enum RequiredAge {
    /** Any age; an old answer is refreshed in the background. */
    CACHED,
    /** At most about 1 s old, if such an answer arrives in time. */
    RECENT,
    /** The answer to a question that is asked now. */
    FRESH
  }

  /** See {@link Cluster#resolve}. */
  Resolution resolve(TypeReference name) throws InterruptedException {
    long now = nanoTime.getAsLong();
    RefreshedValue.Known<Discovered> known =
        discovery.getAndRefresh(oldestAccepted(RequiredAge.CACHED, now));
    if (find(known, name) == null) {
      known = discovery.awaitSince(oldestAccepted(RequiredAge.RECENT, now), lookupTimeout());
    }
    return resolution(name, known, RequiredAge.CACHED, now);
  }

  /** See {@link Cluster#recheck}. */
  Resolution recheck(TypeReference name) throws InterruptedException {
    long now = nanoTime.getAsLong();
    RefreshedValue.Known<Discovered> known =
        discovery.awaitSince(oldestAccepted(RequiredAge.RECENT, now), lookupTimeout());
    return resolution(name, known, RequiredAge.RECENT, now);
  }

  /** See {@link Cluster#refresh}. */
  Resolution refresh(TypeReference name) throws InterruptedException {
    long now = nanoTime.getAsLong();
    RefreshedValue.Known<Discovered> known = discovery.awaitSince(now, NO_TIMEOUT);
    return known.isSince(now)
        ? resolution(name, known, RequiredAge.FRESH, now)
        : notFound(name, known);
  }

  private long oldestAccepted(RequiredAge required, long now) {
    long age = settings.ages().discovery().toNanos();
    return switch (required) {
      case CACHED -> now - age;
      case RECENT -> now - age / KubeSettings.Ages.MISSES_PER_AGE;
      case FRESH -> now;
    };
  }

  private Duration lookupTimeout() {
    return settings.timeouts().lookup();
  }

  private static @Nullable DiscoveredType find(
      RefreshedValue.Known<Discovered> known, TypeReference name) {
    Discovered discovered = known.value();
    return discovered == null ? null : discovered.catalog.find(name);
  }

  private Resolution resolution(
      TypeReference name, RefreshedValue.Known<Discovered> known, RequiredAge required, long now)
      throws InterruptedException {
    Discovered discovered = known.value();
    DiscoveredType served = find(known, name);
    if (discovered == null || served == null) {
      return notFound(name, known);
    }
    if (!CrdCache.mayBeCustom(served.type())) {
      return found(served, null);
    }
    long oldest = oldestAccepted(required, now);
    RefreshedValue<Reading> definition = definitions.of(served.type());
    RefreshedValue.Known<Reading> read =
        required == RequiredAge.CACHED ? definition.getAndRefresh(oldest) : definition.peek();
    Duration wait = required == RequiredAge.FRESH ? NO_TIMEOUT : lookupTimeout();
    read = read(served.type(), discovered, read, required, oldest, wait);
    if (read.value() instanceof CrdCache.Removed(long since)) {
      // The type may be ending, or its definition was created again: discovery decides.
      RefreshedValue.Known<Discovered> newer = discovery.awaitSince(since, lookupTimeout());
      discovered = newer.value();
      served = find(newer, name);
      if (discovered == null || served == null || !newer.isSince(since)) {
        return notFound(name, newer);
      }
      read = read(served.type(), discovered, read, required, oldest, wait);
    }
    return defined(served, discovered, read, oldest, required);
  }

  /** Returns the cached definition if it is usable, else reads it. */
  private RefreshedValue.Known<Reading> read(
      ApiResource type,
      Discovered discovered,
      RefreshedValue.Known<Reading> held,
      RequiredAge required,
      long oldest,
      Duration wait)
      throws InterruptedException {
    if (required == RequiredAge.CACHED && isUsable(type, discovered, held, oldest)) {
      return held;
    }
    long since = later(oldest, usableSince(type, discovered, held, oldest));
    return definitions.of(type).awaitSince(since, wait);
  }

  private static long later(long one, long other) {
    return one - other > 0 ? one : other;
  }

  /**
   * Returns the time since which a definition must have been read to be usable: since discovery has
   * named the type without a break. A refusal is valid for the usual lifetime, and a removal until
   * discovery names the type again.
   */
  private static long usableSince(
      ApiResource type,
      Discovered discovered,
      RefreshedValue.Known<Reading> read,
      long oldestRefusal) {
    long named = discovered.namedSince(type);
    return switch (read.value()) {
      case CrdCache.Refused _ -> later(named, oldestRefusal);
      case CrdCache.Removed _ -> discovered.answeredAt;
      case null, default -> named;
    };
  }

  private static boolean isUsable(
      ApiResource type,
      Discovered discovered,
      RefreshedValue.Known<Reading> read,
      long oldestRefusal) {
    return read.isSince(usableSince(type, discovered, read, oldestRefusal));
  }

  private static Resolution defined(
      DiscoveredType served,
      Discovered discovered,
      RefreshedValue.Known<Reading> read,
      long oldest,
      RequiredAge required) {
    boolean counts =
        isUsable(served.type(), discovered, read, oldest)
            && (required != RequiredAge.FRESH || read.isSince(oldest));
    KubeException failure = read.failure();
    if (!counts && failure != null) {
      return new Unavailable(failure.failure());
    }
    return switch (read.value()) {
      case CrdCache.Defined(CrdInfo definition) -> found(served, definition);
      case CrdCache.Refused(KubeException reason) -> new Unavailable(reason.failure());
      case null, default -> found(served, null);
    };
  }

  /** See {@link Cluster#types}. */
  Listing all() throws InterruptedException {
    long now = nanoTime.getAsLong();
    long end = System.nanoTime() + lookupTimeout().toNanos();
    long oldest = oldestAccepted(RequiredAge.CACHED, now);
    RefreshedValue.Known<Discovered> known = discovery.getAndRefresh(oldest);
    if (known.value() == null) {
      known = discovery.awaitSince(oldest, lookupTimeout());
    }
    List<TypeDefinition> types = new ArrayList<>();
    Map<ApiResource, UpstreamFailure> unread = new LinkedHashMap<>();
    Map<ApiResource, List<CustomColumn>> columns = new HashMap<>();
    Discovered discovered = known.value();
    if (discovered != null) {
      boolean together = refreshDefinitions(discovered, oldest, end);
      for (DiscoveredType served : discovered.catalog.preferred()) {
        ApiResource type = served.type();
        if (!CrdCache.mayBeCustom(type)) {
          types.add(found(served, null).definition());
          continue;
        }
        RefreshedValue<Reading> definition = definitions.of(type);
        RefreshedValue.Known<Reading> read =
            together ? definition.peek() : definition.getAndRefresh(oldest);
        read = read(type, discovered, read, RequiredAge.CACHED, oldest, timeLeft(end));
        switch (defined(served, discovered, read, oldest, RequiredAge.CACHED)) {
          case Found found -> {
            types.add(found.definition());
            if (read.value() instanceof CrdCache.Defined(CrdInfo custom)) {
              columns.put(type, custom.columns().getOrDefault(type.version(), List.of()));
            }
          }
          case Unavailable unavailable -> unread.put(type, unavailable.failure());
          case Unknown unknown -> {}
        }
      }
    }
    return new Listing(
        types, unread, Optional.ofNullable(known.failure()).map(KubeException::failure), columns);
  }

  /**
   * Reads all definitions: in the background if each is known, else before this method returns,
   * within the time limit.
   *
   * @return false: they have to be read one by one
   */
  private boolean refreshDefinitions(Discovered discovered, long oldest, long end)
      throws InterruptedException {
    List<ApiResource> unknown = new ArrayList<>();
    long since = oldest;
    for (DiscoveredType served : discovered.catalog.preferred()) {
      ApiResource type = served.type();
      if (CrdCache.mayBeCustom(type)) {
        RefreshedValue.Known<Reading> held = definitions.of(type).peek();
        if (!isUsable(type, discovered, held, oldest)) {
          unknown.add(type);
          since = later(since, usableSince(type, discovered, held, oldest));
        }
      }
    }
    if (!unknown.isEmpty()) {
      definitions.awaitAll(unknown, since, timeLeft(end));
    }
    return definitions.refreshAll(oldest);
  }

  private static Duration timeLeft(long end) {
    return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
  }

  private static Found found(DiscoveredType served, @Nullable CrdInfo custom) {
    return new Found(
        new TypeDefinition(
            served.type(),
            served.singular(),
            served.shortNames(),
            served.verbs(),
            custom == null ? "" : custom.uid(),
            custom == null
                ? List.of()
                : custom.selectableFields().getOrDefault(served.type().version(), List.of())));
  }

  private Resolution notFound(TypeReference name, RefreshedValue.Known<Discovered> known) {
    KubeException failure = known.failure();
    if (failure != null) {
      return new Unavailable(failure.failure());
    }
    Discovered discovered = known.value();
    if (discovered == null || discovered.catalog.mayBeInSilentGroup(name)) {
      return new Unavailable(
          new UpstreamFailure.ServerError(
              "the apiserver of the group of " + name + " does not answer discovery",
              settings.ages().discovery()));
    }
    return new Unknown(discovered.catalog.similarNames(name));
  }
}
