package io.watchgate.bench.baseline;

import io.watchgate.kube.KubeException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** The apiserver, with the operations that a baseline server needs. */
interface BaselineUpstream {
  /** A resource type in one namespace. */
  record NamespacedType(String namespace, String plural) {
    String path() {
      return "api/v1/namespaces/%s/%s".formatted(namespace, plural);
    }
  }

  /**
   * All objects at a version.
   *
   * @param objects events as if all objects had just been added
   */
  record ListResult(List<EventLine> objects, long version) {
    public ListResult {
      objects = List.copyOf(objects);
    }
  }

  /**
   * Watches after a version, until the process ends.
   *
   * @param lines called with every event, on one thread
   */
  void watch(NamespacedType resources, String version, Topics.Listener lines) throws KubeException;

  /**
   * Returns the current objects, at least as new as all events that any watch has delivered.
   * Blocks.
   */
  ListResult list(NamespacedType resources)
      throws KubeException, ExecutionException, TimeoutException, InterruptedException;
}
