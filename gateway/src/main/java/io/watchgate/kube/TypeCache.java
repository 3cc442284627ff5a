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
 * Cache of an apiserver's types. It is used at once, and refreshed aside when it is old; a caller
 * waits only for what is not known. Thread-safe. A thousand callers that wait for the same thing
 * cost one question.
 */
final class TypeCache {
  /**
   * A name that is not found has discovery asked anew, but no more often than in this part of its
   * age: names come from users.
   */
  private static final int MISSES_PER_AGE = 30;

  /** Each request has a limit of its own, so that every question ends. */
  private static final Duration UNTIL_ANSWERED = Duration.ofDays(1);

  private final KubeSettings settings;
  private final CrdCache definitions;
  private final RefreshedValue<Discovered> discovery;
  private final LongSupplier nanoTime;

  /**
   * The types at one moment.
   *
   * @param answeredAt when discovery had answered. A definition that was read before may be older
   *     than the type.
   * @param namedSince when discovery had first named each type, of the answers in a row that do, by
   *     group and resource: a type that it had ceased to name was created anew
   */
  private record Discovered(
      DiscoveredTypes catalog, long answeredAt, Map<String, Long> namedSince) {
    long namedSince(ApiResource type) {
      return Objects.requireNonNull(namedSince.get(type.groupResource()));
    }
  }

  /** Asks nothing yet. What is under way ends with the connection. */
  TypeCache(ApiServer server, ApiConnection connection, LongSupplier nanoTime) {
    this.settings = server.settings();
    this.nanoTime = nanoTime;
    Executor threads = task -> Thread.ofVirtual().name("discovery").start(task);
    this.definitions = new CrdCache(server, connection, nanoTime, threads);
    this.discovery =
        new RefreshedValue<>(
            "discovery",
            (before, askedAt) -> discovered(new DiscoveryClient(server, connection).ask(), before),
            nanoTime,
            threads);
  }

  private Discovered discovered(DiscoveredTypes asked, @Nullable Discovered before) {
    long answeredAt = nanoTime.getAsLong();
    DiscoveredTypes catalog = before == null ? asked : asked.withSilent(before.catalog);
    Map<String, Long> namedSince = new HashMap<>();
    for (String type : catalog.groupResources()) {
      Long since = before == null ? null : before.namedSince.get(type);
      namedSince.put(type, since == null ? answeredAt : since);
    }
    definitions.keepOnly(namedSince.keySet());
    return new Discovered(catalog, answeredAt, Map.copyOf(namedSince));
  }

  /** Required age of an answer. */
  private enum Look {
    /** Of any age; it is refreshed aside if it is old. */
    HELD,
    /** About a second old at most, while a newer one can be had in time. */
    RECENT,
    /** To a question that is put now. */
    NEW
  }

  /** See {@link Cluster#resolve}. */
  Resolution resolve(TypeReference name) throws InterruptedException {
    long now = nanoTime.getAsLong();
    RefreshedValue.Known<Discovered> known = discovery.now(oldest(Look.HELD, now));
    if (find(known, name) == null) {
      known = discovery.since(oldest(Look.RECENT, now), lookup());
    }
    return resolution(name, known, Look.HELD, now);
  }

  /** See {@link Cluster#recheck}. */
  Resolution recheck(TypeReference name) throws InterruptedException {
    long now = nanoTime.getAsLong();
    RefreshedValue.Known<Discovered> known = discovery.since(oldest(Look.RECENT, now), lookup());
    return resolution(name, known, Look.RECENT, now);
  }

  /** See {@link Cluster#refresh}. */
  Resolution refresh(TypeReference name) throws InterruptedException {
    long now = nanoTime.getAsLong();
    RefreshedValue.Known<Discovered> known = discovery.since(now, UNTIL_ANSWERED);
    return known.isSince(now) ? resolution(name, known, Look.NEW, now) : notFound(name, known);
  }

  private long oldest(Look look, long now) {
    long age = settings.ages().discovery().toNanos();
    return switch (look) {
      case HELD -> now - age;
      case RECENT -> now - age / MISSES_PER_AGE;
      case NEW -> now;
    };
  }

  private Duration lookup() {
    return settings.timeouts().lookup();
  }

  private static @Nullable DiscoveredType find(
      RefreshedValue.Known<Discovered> known, TypeReference name) {
    Discovered discovered = known.value();
    return discovered == null ? null : discovered.catalog.find(name);
  }

  private Resolution resolution(
      TypeReference name, RefreshedValue.Known<Discovered> known, Look look, long now)
      throws InterruptedException {
    Discovered discovered = known.value();
    DiscoveredType served = find(known, name);
    if (discovered == null || served == null) {
      return notFound(name, known);
    }
    if (!CrdCache.mayBeCustom(served.type())) {
      return found(served, null);
    }
    long oldest = oldest(look, now);
    RefreshedValue<Reading> definition = definitions.of(served.type());
    RefreshedValue.Known<Reading> read =
        look == Look.HELD ? definition.now(oldest) : definition.peek();
    Duration wait = look == Look.NEW ? UNTIL_ANSWERED : lookup();
    read = read(served.type(), discovered, read, look, oldest, wait);
    if (read.value() instanceof CrdCache.Removed(long since)) {
      // The type may be about to go, or its definition was created anew: discovery says which.
      RefreshedValue.Known<Discovered> newer = discovery.since(since, lookup());
      discovered = newer.value();
      served = find(newer, name);
      if (discovered == null || served == null || !newer.isSince(since)) {
        return notFound(name, newer);
      }
      read = read(served.type(), discovered, read, look, oldest, wait);
    }
    return defined(served, discovered, read, oldest, look);
  }

  /** The definition that is held if it counts, else another. */
  private RefreshedValue.Known<Reading> read(
      ApiResource type,
      Discovered discovered,
      RefreshedValue.Known<Reading> held,
      Look look,
      long oldest,
      Duration wait)
      throws InterruptedException {
    if (look == Look.HELD && isUsable(type, discovered, held, oldest)) {
      return held;
    }
    long since = later(oldest, countsSince(type, discovered, held, oldest));
    return definitions.of(type).since(since, wait);
  }

  private static long later(long one, long other) {
    return one - other > 0 ? one : other;
  }

  /**
   * The moment since which a definition has to be read to count: while discovery has named the type
   * without a break. A refusal counts for the usual age, and a removal until discovery names the
   * type again.
   */
  private static long countsSince(
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
    return read.isSince(countsSince(type, discovered, read, oldestRefusal));
  }

  private static Resolution defined(
      DiscoveredType served,
      Discovered discovered,
      RefreshedValue.Known<Reading> read,
      long oldest,
      Look look) {
    boolean counts =
        isUsable(served.type(), discovered, read, oldest)
            && (look != Look.NEW || read.isSince(oldest));
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
    long end = System.nanoTime() + lookup().toNanos();
    long oldest = oldest(Look.HELD, now);
    RefreshedValue.Known<Discovered> known = discovery.now(oldest);
    if (known.value() == null) {
      known = discovery.since(oldest, lookup());
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
        RefreshedValue.Known<Reading> read = together ? definition.peek() : definition.now(oldest);
        read = read(type, discovered, read, Look.HELD, oldest, left(end));
        switch (defined(served, discovered, read, oldest, Look.HELD)) {
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
   * Has all definitions read: aside if each is known, else before this returns, if that does not
   * take too long.
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
          since = later(since, countsSince(type, discovered, held, oldest));
        }
      }
    }
    if (!unknown.isEmpty()) {
      definitions.awaitAll(unknown, since, left(end));
    }
    return definitions.refreshAll(oldest);
  }

  private static Duration left(long end) {
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
    if (discovered == null || discovered.catalog.mayBeMissing(name)) {
      return new Unavailable(
          new UpstreamFailure.ServerError(
              "the apiserver of the group of " + name + " does not answer discovery",
              settings.ages().discovery()));
    }
    return new Unknown(discovered.catalog.near(name));
  }
}
