package io.watchgate.cli;

import io.grpc.Deadline;
import io.grpc.StatusRuntimeException;
import io.watchgate.client.WatchClient;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.proto.v1.Projection;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

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
  private final Duration timeout;

  NamespaceLookup(WatchClient client, List<String> namespaces, Stdio stdio) {
    this.client = client;
    this.namespaces = List.copyOf(namespaces);
    this.timeout = stdio.lookupTimeout(TIMEOUT);
  }

  /**
   * Returns the sentence that names the namespaces that do not exist, among the first ten. Empty if
   * all exist, or if the gateway does not say: the caller may not list namespaces, or the answers
   * take more than 2 s in all.
   */
  String missing() {
    Deadline deadline = Deadline.after(timeout.toMillis(), TimeUnit.MILLISECONDS);
    try {
      List<String> missing =
          namespaces.stream()
              .limit(MAX_NAMESPACES)
              .filter(namespace -> isMissing(namespace, deadline))
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

  private boolean isMissing(String namespace, Deadline deadline) {
    ListObjectsRequest request =
        ListObjectsRequest.newBuilder()
            .setSelection(
                Selection.newBuilder()
                    .setResourceType(ResourceType.newBuilder().setResource("namespaces"))
                    .setFieldSelector("metadata.name=" + namespace))
            .setProjection(Projection.newBuilder().setView(ObjectView.OBJECT_VIEW_KEY))
            .build();
    return client
            .listObjects(
                request,
                Duration.ofMillis(Math.max(1, deadline.timeRemaining(TimeUnit.MILLISECONDS))))
            .getObjectsCount()
        == 0;
  }
}
