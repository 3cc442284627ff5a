package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.cache.TimeSource;
import io.watchgate.http.ResourceCatalog;
import io.watchgate.http.StatusException;
import io.watchgate.http.WriteBackend;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * In-memory objects of an apiserver. {@link #catalog} serves reads and {@link #writes} accepts
 * changes, from any thread; {@code http} serves both. A new sandbox has the namespaces that every
 * cluster has. Thread-safe.
 */
public final class Sandbox implements AutoCloseable {
  private static final List<String> NAMESPACES =
      List.of("default", "kube-node-lease", "kube-public", "kube-system");

  private final ObjectStore store;
  private final SandboxTypes types;
  private final EventExpiry expiry;
  private final DeleteHandler deletion;
  private final ResourceCatalog catalog;
  private final WriteBackend writes;
  private final SandboxSettings settings;
  private final ScheduledExecutorService timer;
  private volatile @Nullable ScheduledFuture<?> nextMaintenance;
  private volatile boolean closed;

  private Sandbox(SandboxSettings settings, TimeSource time, ScheduledExecutorService timer) {
    this.settings = settings;
    this.timer = timer;
    expiry = new EventExpiry(time, settings.eventTimeToLive());
    store = new ObjectStore(time, settings.maxBytes(), expiry);
    CacheFactory caches = new CacheFactory(settings.caches(), time);
    types = new SandboxTypes(BuiltInTypes.create(caches, store.version()));
    KeyRangeDeleter collectionDeleter = new KeyRangeDeleter(store);
    BuiltInControllers consequences =
        new BuiltInControllers(
            types,
            new NamespaceFinalizer(store, types, collectionDeleter),
            new CustomTypes(store, types, collectionDeleter, caches));
    Allocator allocations = new Allocator(new SplittableRandom(settings.seed()));
    CreateHandler creation = new CreateHandler(store, types, allocations, consequences);
    UpdateHandler update = new UpdateHandler(store, creation, allocations, consequences);
    deletion = new DeleteHandler(store, types, consequences);
    catalog = new SandboxCatalog(store, types);
    writes =
        new SandboxWrites(
            store, types, creation, update, deletion, new PodActions(store, update, deletion));
    createNamespaces(creation);
  }

  /**
   * Creates a sandbox.
   *
   * @param timer runs the sandbox's maintenance, which takes milliseconds; the caller closes the
   *     timer
   */
  public static Sandbox create(
      SandboxSettings settings, TimeSource time, ScheduledExecutorService timer) {
    Sandbox sandbox = new Sandbox(settings, time, timer);
    sandbox.scheduleMaintenance();
    return sandbox;
  }

  private void createNamespaces(CreateHandler creation) {
    StoredType namespaces = types.namespaces();
    try {
      for (String name : NAMESPACES) {
        JsonObject namespace = new JsonObject();
        Metadata.of(namespace).addProperty(Metadata.NAME, name);
        creation.create(
            new WriteTarget(namespaces, namespaces.storedVersion(), "", ""),
            namespace,
            DryRun.REAL);
      }
    } catch (StatusException e) {
      throw new IllegalStateException("the sandbox has no room for its namespaces", e);
    }
  }

  /** Returns the served types with their objects. */
  public ResourceCatalog catalog() {
    return catalog;
  }

  /** Returns the backend for writes. */
  public WriteBackend writes() {
    return writes;
  }

  private void scheduleMaintenance() {
    if (!closed) {
      nextMaintenance =
          timer.schedule(
              () -> {
                try {
                  runMaintenance();
                } finally {
                  scheduleMaintenance();
                }
              },
              settings.progressInterval().toNanos(),
              TimeUnit.NANOSECONDS);
    }
  }

  /** Removes expired events and advances the version of types that did not change. */
  private void runMaintenance() {
    try {
      store.runLocked(
          () -> {
            expire();
            types.all().forEach(store::advanceVersion);
            return types;
          });
    } catch (StatusException e) {
      throw new IllegalStateException("maintenance was refused a write", e);
    }
  }

  private void expire() throws StatusException {
    StoredType events = types.findByName("events").orElseThrow();
    for (EventExpiry.Key key : expiry.due()) {
      WriteTarget target =
          new WriteTarget(events, events.storedVersion(), key.namespace(), key.name());
      deletion.delete(target, DeleteOptions.AT_ONCE);
      expiry.remove(key.namespace(), key.name()); // with a finalizer it stays; no retry
    }
  }

  /** Stops the maintenance and ends every watch. Later writes have no defined effect. */
  @Override
  public void close() {
    closed = true;
    ScheduledFuture<?> next = nextMaintenance;
    if (next != null) {
      next.cancel(false);
    }
    types.all().forEach(type -> type.versions().forEach(version -> version.cache().end()));
  }
}
