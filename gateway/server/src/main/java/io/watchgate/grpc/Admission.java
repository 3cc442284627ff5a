package io.watchgate.grpc;

import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeLease;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.fanout.ApiError;
import io.watchgate.fanout.ApiException;
import io.watchgate.fanout.StreamErrors;
import io.watchgate.proto.v1.ErrorReason;
import java.time.Duration;

/** Gate that opens types, unless memory is short or the gateway shuts down. Thread-safe. */
final class Admission {
  private final TypeRegistry registry;
  private volatile boolean draining;

  Admission(TypeRegistry registry) {
    this.registry = registry;
  }

  /** Admits nothing from now on. */
  void drain() {
    draining = true;
  }

  TypeLease open(TypeDefinition definition) throws ApiException {
    if (draining) {
      throw new ApiException(
          ApiError.retry(
              ErrorReason.ERROR_REASON_DRAINING,
              Duration.ofSeconds(1),
              "this gateway shuts down. Call another replica."));
    }
    if (registry.heap().isShort()) {
      throw new ApiException(StreamErrors.heapFull());
    }
    if (registry.find(definition.type()) == null && registry.stateBytes() > registry.stateLimit()) {
      throw new ApiException(
          ApiError.retry(
              ErrorReason.ERROR_REASON_MEMORY,
              Duration.ofSeconds(30),
              "the resource types that are open already use up this gateway's memory; "
                  + definition.type().groupResource()
                  + " is not opened as well. Its operator has to give it a larger heap."));
    }
    return registry.acquire(definition);
  }
}
