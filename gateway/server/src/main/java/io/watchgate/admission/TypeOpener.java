package io.watchgate.admission;

import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeLease;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.error.ApiException;
import io.watchgate.error.LimitErrors;
import io.watchgate.error.StreamErrors;

/**
 * Opener of types, which opens none while memory is short or the gateway shuts down. Thread-safe.
 */
public final class TypeOpener {
  private final TypeRegistry registry;
  private volatile boolean draining;

  public TypeOpener(TypeRegistry registry) {
    this.registry = registry;
  }

  /** Admits nothing from now on. */
  public void drain() {
    draining = true;
  }

  /**
   * Opens a type.
   *
   * @throws ApiException MEMORY, or DRAINING
   */
  public TypeLease open(TypeDefinition definition) throws ApiException {
    if (draining) {
      throw new ApiException(StreamErrors.notAdmittedWhileDraining());
    }
    if (registry.heap().isShort()) {
      throw new ApiException(LimitErrors.heapFull());
    }
    if (registry.find(definition.type()) == null && registry.stateBytes() > registry.stateLimit()) {
      throw new ApiException(LimitErrors.noMemoryForType(definition.type().groupResource()));
    }
    return registry.acquire(definition);
  }
}
