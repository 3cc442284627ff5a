package io.watchgate.sandbox;

import io.watchgate.cache.Freshness;
import io.watchgate.cache.Revision;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeLease;
import io.watchgate.cache.WatchCache;
import io.watchgate.http.ResourceCatalog;
import io.watchgate.http.ServedResource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Catalog of the sandbox's types and objects. Thread-safe. */
final class SandboxCatalog implements ResourceCatalog {
  private final ObjectStore store;
  private final SandboxTypes types;

  SandboxCatalog(ObjectStore store, SandboxTypes types) {
    this.store = store;
    this.types = types;
  }

  @Override
  public List<ServedResource> resources() {
    return types.resources();
  }

  /** Returns a lease that releases nothing, because the sandbox keeps all its caches. */
  @Override
  public Optional<TypeLease> open(TypeDefinition type) {
    return types.find(type).map(this::lease);
  }

  private TypeLease lease(StoredVersion version) {
    WatchCache cache = version.cache().cache();
    cache.setFreshnessLookup(() -> CompletableFuture.completedStage(catchUp(version)));
    return new TypeLease(cache, () -> {});
  }

  private Freshness catchUp(StoredVersion version) {
    store.catchUp(version);
    WatchCache cache = version.cache().cache();
    Revision head = cache.head();
    return head == null || cache.upstreamState().phase().isEnd()
        ? new Freshness.Unproven("the type is not served any more")
        : new Freshness.Proven(head.version());
  }
}
