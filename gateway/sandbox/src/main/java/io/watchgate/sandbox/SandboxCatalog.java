package io.watchgate.sandbox;

import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.WatchCache;
import io.watchgate.http.ResourceCatalog;
import io.watchgate.http.ServedResource;
import java.util.List;
import java.util.Optional;

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

  @Override
  public Optional<Source> open(TypeDefinition type) {
    return types.find(type).map(found -> new Held(store, found));
  }

  /** A source without a lease, because the sandbox keeps all its caches. */
  private record Held(ObjectStore store, StoredVersion version) implements Source {
    @Override
    public WatchCache cache() {
      return version.cache().cache();
    }

    @Override
    public void refresh() {
      store.catchUp(version);
    }

    @Override
    public void close() {}
  }
}
