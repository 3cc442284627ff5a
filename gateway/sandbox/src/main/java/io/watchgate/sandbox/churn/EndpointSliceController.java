package io.watchgate.sandbox.churn;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import org.jspecify.annotations.Nullable;

/** Controller that keeps one endpointslice for each service, with the pods of its app. */
final class EndpointSliceController implements ObjectFollower.Actor, PodIndex.Watcher {
  private final ClusterClient cluster;
  private final SimulationQueue queue;
  private final PodIndex pods;

  EndpointSliceController(ClusterClient cluster, SimulationQueue queue, PodIndex pods) {
    this.cluster = cluster;
    this.queue = queue;
    this.pods = pods;
  }

  @Override
  public void onChange(ObjectName key, @Nullable JsonObject now) {
    if (now == null) {
      cluster.delete(SimulatedKind.ENDPOINT_SLICES, key);
    } else {
      scheduleReconcile(key);
    }
  }

  @Override
  public void onPodChange(@Nullable Pod before, @Nullable Pod now) {
    Pod pod = now == null ? before : now;
    boolean wasReady = before != null && before.isReady();
    boolean isReady = now != null && now.isReady();
    if (pod != null && wasReady != isReady && !pod.app().isEmpty()) {
      scheduleReconcile(new ObjectName(pod.key().namespace(), pod.app()));
    }
  }

  private void scheduleReconcile(ObjectName service) {
    queue.scheduleOnce(
        "endpoints " + service, ChurnSettings.ENDPOINTS_RECONCILE, () -> reconcile(service));
  }

  private void reconcile(ObjectName key) {
    cluster.get(SimulatedKind.SERVICES, key).ifPresent(service -> reconcile(key, service));
  }

  private void reconcile(ObjectName key, JsonObject service) {
    JsonArray endpoints = new JsonArray();
    for (Pod pod : pods.ofApp(key.namespace(), key.name())) {
      if (!pod.ip().isEmpty() && pod.stage() != Pod.Stage.DELETING) {
        endpoints.add(
            ClusterClient.parse(
                """
                {"addresses":["%s"],"conditions":{"ready":%s,"serving":%s,"terminating":false},
                 "nodeName":"%s","targetRef":{"kind":"Pod","namespace":"%s","name":"%s"}}\
                """
                    .formatted(
                        pod.ip(),
                        pod.isReady(),
                        pod.isReady(),
                        pod.node(),
                        key.namespace(),
                        pod.key().name())));
      }
    }
    JsonObject slice =
        ClusterClient.parse(
            """
            {"kind":"EndpointSlice","apiVersion":"discovery.k8s.io/v1",
             "metadata":{"name":"%s","labels":{"kubernetes.io/service-name":"%s"}},
             "addressType":"IPv4",
             "ports":[{"name":"http","port":8080,"protocol":"TCP"}]}\
            """
                .formatted(key.name(), key.name()));
    slice.add("endpoints", endpoints);
    if (cluster.get(SimulatedKind.ENDPOINT_SLICES, key).isPresent()) {
      JsonObject patch = new JsonObject();
      patch.add("endpoints", endpoints);
      cluster.merge(SimulatedKind.ENDPOINT_SLICES, key, patch);
    } else {
      slice
          .getAsJsonObject("metadata")
          .add("ownerReferences", OwnerReference.controllerReferences(service));
      cluster.create(SimulatedKind.ENDPOINT_SLICES, key.namespace(), slice);
    }
  }
}
