package io.watchgate.admission;

import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeLease;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.error.ApiException;
import io.watchgate.error.LimitErrors;
import io.watchgate.error.StreamErrors;

/**
 * Admission of new streams and lists to a type. It refuses them while the heap is short (MEMORY),
 * and while the gateway shuts down (DRAINING). A type that is not open yet is also refused while
 * the objects of all open types exceed their limit (MEMORY). Thread-safe.
 */
public final class StreamAdmission {
  private final TypeRegistry registry;
  private volatile boolean draining;

  public StreamAdmission(TypeRegistry registry) {
    this.registry = registry;
  }

  /** Admits nothing from now on. */
  public void drain() {
    draining = true;
  }

  /**
   * Opens the type, or adds a lease if it is open.
   *
   * @throws ApiException MEMORY, or DRAINING
   */
  public TypeLease admit(TypeDefinition definition) throws ApiException {
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
