package io.watchgate.grpc;

import io.watchgate.cache.OpenType;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.feed.Refusal;
import io.watchgate.feed.RefusedException;
import io.watchgate.feed.StreamEnd;
import io.watchgate.proto.v1.ErrorReason;
import java.time.Duration;

/** Opens types, unless memory is short or the gateway is about to end. Thread-safe. */
final class Admission {
  private final TypeRegistry registry;
  private volatile boolean draining;

  Admission(TypeRegistry registry) {
    this.registry = registry;
  }

  /** From now on, nothing is admitted. */
  void drain() {
    draining = true;
  }

  OpenType open(TypeDefinition definition) throws RefusedException {
    if (draining) {
      throw new RefusedException(
          Refusal.retry(
              ErrorReason.ERROR_REASON_DRAINING,
              Duration.ofSeconds(1),
              "this gateway shuts down. Call another replica."));
    }
    if (registry.heap().isShort()) {
      throw new RefusedException(StreamEnd.heapIsFull());
    }
    if (registry.find(definition.type()) == null && registry.stateBytes() > registry.stateLimit()) {
      throw new RefusedException(
          Refusal.retry(
              ErrorReason.ERROR_REASON_MEMORY,
              Duration.ofSeconds(30),
              "the resource types that are open already use up this gateway's memory; "
                  + definition.type().groupResource()
                  + " is not opened as well. Its operator has to give it a larger heap."));
    }
    return registry.acquire(definition);
  }
}
