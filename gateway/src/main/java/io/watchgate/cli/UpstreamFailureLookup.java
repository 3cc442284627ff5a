package io.watchgate.cli;

import io.grpc.StatusRuntimeException;
import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchError;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.ServedType;
import java.time.Duration;

/**
 * The failure that keeps a gateway from reading one type from its apiserver, asked of the gateway.
 * Thread-safe.
 */
final class UpstreamFailureLookup {
  /** The answer is wanted beside data that is there already. */
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private final WatchClient client;
  private final ResourceType type;

  /** Of the type as it was typed: a plural, a kind or a short name. */
  UpstreamFailureLookup(WatchClient client, ResourceType type) {
    this.client = client;
    this.type = type;
  }

  /** The failure in one line. Empty if there is none, or the gateway does not say within 2 s. */
  String text() {
    try {
      return client.listResourceTypes(TIMEOUT).getTypesList().stream()
          .filter(this::isMeant)
          .map(ServedType::getError)
          .filter(error -> !error.isEmpty())
          .findFirst()
          .orElse("");
    } catch (StatusRuntimeException e) {
      WatchError error = WatchError.of(e);
      return error.reason().equals("UPSTREAM_UNAVAILABLE") ? error.message() : "";
    }
  }

  private boolean isMeant(ServedType served) {
    String name = type.getResource();
    boolean named =
        served.getResourceType().getResource().equalsIgnoreCase(name)
            || served.getKind().equalsIgnoreCase(name)
            || served.getShortNamesList().contains(name);
    return named
        && (type.getGroup().isEmpty()
            || type.getGroup().equals(served.getResourceType().getGroup()));
  }
}
