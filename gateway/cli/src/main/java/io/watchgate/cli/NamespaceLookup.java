package io.watchgate.cli;

import io.grpc.StatusRuntimeException;
import io.watchgate.client.WatchClient;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.proto.v1.Projection;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import java.time.Duration;
import java.util.List;

/**
 * Query to the gateway for selected namespaces that do not exist: the usual reason for an empty
 * answer. Thread-safe.
 */
final class NamespaceLookup {
  /** Short, because the command continues without the answer, too. */
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  /** Maximum number of namespaces that are looked up, one request each. */
  private static final int MAX_NAMESPACES = 10;

  private final WatchClient client;
  private final List<String> namespaces;

  NamespaceLookup(WatchClient client, List<String> namespaces) {
    this.client = client;
    this.namespaces = List.copyOf(namespaces);
  }

  /**
   * Returns the sentence that names the namespaces that do not exist. Empty if all exist, or if the
   * gateway does not say, because the caller may not list namespaces or it does not answer within 2
   * s.
   */
  String missing() {
    try {
      List<String> missing =
          namespaces.stream()
              .limit(MAX_NAMESPACES)
              .filter(this::isMissing)
              .map(namespace -> "'" + namespace + "'")
              .toList();
      return switch (missing.size()) {
        case 0 -> "";
        case 1 -> "there is no namespace " + missing.getFirst();
        default -> "there are no namespaces " + String.join(", ", missing);
      };
    } catch (StatusRuntimeException e) {
      return "";
    }
  }

  private boolean isMissing(String namespace) {
    ListObjectsRequest request =
        ListObjectsRequest.newBuilder()
            .setSelection(
                Selection.newBuilder()
                    .setResourceType(ResourceType.newBuilder().setResource("namespaces"))
                    .setFieldSelector("metadata.name=" + namespace))
            .setProjection(Projection.newBuilder().setView(ObjectView.OBJECT_VIEW_KEY))
            .build();
    return client.listObjects(request, TIMEOUT).getObjectsCount() == 0;
  }
}
