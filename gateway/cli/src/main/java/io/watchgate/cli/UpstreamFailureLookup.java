package io.watchgate.cli;

import io.grpc.StatusRuntimeException;
import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchError;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.ServedType;
import java.time.Duration;

/**
 * Query to the gateway for the failure that keeps it from reading one type from its apiserver.
 * Thread-safe.
 */
final class UpstreamFailureLookup {
  /** Short, because the data is printed without the answer as well. */
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private final WatchClient client;
  private final ResourceType type;
  private final Duration timeout;

  /**
   * @param type type as typed: a plural, a kind or a short name
   */
  UpstreamFailureLookup(WatchClient client, ResourceType type, Stdio stdio) {
    this.client = client;
    this.type = type;
    this.timeout = stdio.lookupTimeout(TIMEOUT);
  }

  /**
   * Returns the failure in one line. Empty if there is none, or if the gateway does not answer
   * within 2 s.
   */
  String failure() {
    try {
      return client.listResourceTypes(timeout).getTypesList().stream()
          .filter(served -> matches(type, served))
          .map(ServedType::getError)
          .filter(error -> !error.isEmpty())
          .findFirst()
          .orElse("");
    } catch (StatusRuntimeException e) {
      WatchError error = WatchError.of(e);
      return error.reason().equals("UPSTREAM_UNAVAILABLE") ? error.message() : "";
    }
  }

  /** Returns whether a served type is the one that was typed: a plural, a kind or a short name. */
  static boolean matches(ResourceType typed, ServedType served) {
    String name = typed.getResource();
    boolean named =
        served.getResourceType().getResource().equalsIgnoreCase(name)
            || served.getKind().equalsIgnoreCase(name)
            || served.getShortNamesList().contains(name);
    return named
        && (typed.getGroup().isEmpty()
            || typed.getGroup().equals(served.getResourceType().getGroup()));
  }
}
