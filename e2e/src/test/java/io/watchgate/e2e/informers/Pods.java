package io.watchgate.e2e.informers;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Pods of the benchmark: two containers each, as a deployment creates them, with the status that a
 * kubelet writes; about 6.2 KB of JSON each, 2.8 KB of it managed fields.
 */
public final class Pods {
  /** Name prefix of the pods whose events a measured handler prints. */
  static final String CLOSELY = "closely-";

  /** Pod that is changed last before a connection is restored. */
  static final String MARKER = CLOSELY + "marked";

  /** Pod that is deleted and created again while a connection is down. */
  static final String RENEWED = CLOSELY + "renewed";

  private static final int NAMESPACES = 50;
  private static final int WRITERS = 8;
  private static final int SETTINGS = 5;

  private final Cluster cluster;
  private final int count;
  private final AtomicLong patches = new AtomicLong();

  private Pods(Cluster cluster, int count) {
    this.cluster = cluster;
    this.count = count;
  }

  /** Creates the pods. Returns once all exist. */
  public static Pods create(Cluster cluster, int count) throws Exception {
    Pods pods = new Pods(cluster, count);
    for (int i = 0; i < NAMESPACES; i++) {
      cluster.createNamespace("team-" + i);
    }
    try (ExecutorService writers = Executors.newFixedThreadPool(WRITERS)) {
      List<Future<?>> writes =
          IntStream.range(0, count)
              .<Future<?>>mapToObj(i -> writers.submit(() -> pods.create(i)))
              .toList();
      for (Future<?> write : writes) {
        write.get();
      }
    }
    return pods;
  }

  int count() {
    return count;
  }

  static String namespace(int pod) {
    return "team-" + pod % NAMESPACES;
  }

  /** Returns the name of a pod; the first two are the closely watched pods. */
  static String name(int pod) {
    return switch (pod) {
      case 0 -> MARKER;
      case 1 -> RENEWED;
      default -> "storefront-6c9f7d8b54-" + pod;
    };
  }

  void create(int pod) {
    cluster.create(Resource.PODS, pod(pod));
    cluster.patchStatus(Resource.PODS, namespace(pod), name(pod), status(pod));
  }

  void delete(int pod) {
    cluster.delete(Resource.PODS, namespace(pod), name(pod));
  }

  /**
   * Changes a pod to a state that no pod had before: an annotation, or its status, with the same
   * size.
   *
   * @return the changed pod
   */
  JsonNode patch(int pod) {
    String value = "%010d".formatted(patches.incrementAndGet());
    return pod % 2 == 0
        ? cluster.patch(
            Resource.PODS,
            namespace(pod),
            name(pod),
            "{\"metadata\":{\"annotations\":{\"example.test/checked\":\"%s\"}}}".formatted(value))
        : cluster.patchStatus(
            Resource.PODS,
            namespace(pod),
            name(pod),
            "{\"status\":{\"message\":\"%s\"}}".formatted(value));
  }

  /** Returns the average size of a pod's JSON as written by the apiserver. */
  public int bytesEach() {
    return average(this::text);
  }

  /** Returns the part of this size that is managed fields. */
  public int managedBytesEach() {
    return average(pod -> Json.parse(text(pod)).at("/metadata/managedFields").toString());
  }

  private int average(IntFunction<String> text) {
    return (int)
        IntStream.range(0, Math.min(count, 50))
            .map(pod -> text.apply(pod).getBytes(StandardCharsets.UTF_8).length)
            .average()
            .orElse(0);
  }

  private String text(int pod) {
    String path = Resource.PODS.path(namespace(pod)) + "/" + name(pod);
    return cluster.send("GET", path, "application/json", "", "").body();
  }

  private static JsonNode pod(int pod) {
    return Json.parse(
        """
        {"apiVersion":"v1","kind":"Pod",
         "metadata":{"namespace":"%1$s","name":"%2$s",
           "labels":{"app.kubernetes.io/name":"storefront","app.kubernetes.io/instance":"storefront-%3$d",
             "pod-template-hash":"6c9f7d8b54","tier":"front"},
           "annotations":{"example.test/checked":"0000000000","prometheus.io/scrape":"true"},
           "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"storefront-6c9f7d8b54",
             "uid":"9f0c6b7a-31c4-4a0c-8f0e-0123456789ab","controller":true,"blockOwnerDeletion":true}]},
         "spec":{"nodeName":"node-%4$d","serviceAccountName":"storefront","restartPolicy":"Always",
           "terminationGracePeriodSeconds":30,
           "tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],
           "volumes":[{"name":"config","configMap":{"name":"storefront"}}],
           "containers":[
             {"name":"main","image":"registry.example.test/shop/storefront:2.31.4",
              "env":[%5$s],
              "ports":[{"name":"http","containerPort":8080,"protocol":"TCP"}],
              "resources":{"requests":{"cpu":"250m","memory":"256Mi"},"limits":{"memory":"512Mi"}},
              "readinessProbe":{"httpGet":{"path":"/healthz","port":"http"},"periodSeconds":5},
              "volumeMounts":[{"name":"config","mountPath":"/etc/storefront","readOnly":true}]},
             {"name":"proxy","image":"registry.example.test/mesh/proxy:1.19.2",
              "ports":[{"containerPort":15090,"protocol":"TCP"}],
              "resources":{"requests":{"cpu":"50m","memory":"64Mi"}}}]}}
        """
            .formatted(
                namespace(pod),
                name(pod),
                pod % 7,
                pod % 200,
                IntStream.range(0, SETTINGS)
                    .mapToObj("{\"name\":\"SETTING_%1$d\",\"value\":\"value-%1$d\"}"::formatted)
                    .collect(Collectors.joining(","))));
  }

  private static String status(int pod) {
    return """
    {"status":{"phase":"Running","message":"0000000000","hostIP":"10.0.0.%1$d","podIP":"10.1.%2$d.%1$d",
      "podIPs":[{"ip":"10.1.%2$d.%1$d"}],"startTime":"2026-03-01T12:00:01Z",
      "conditions":[
        {"type":"Initialized","status":"True","lastTransitionTime":"2026-03-01T12:00:01Z"},
        {"type":"Ready","status":"True","lastTransitionTime":"2026-03-01T12:00:07Z"},
        {"type":"PodScheduled","status":"True","lastTransitionTime":"2026-03-01T12:00:00Z"}],
      "containerStatuses":[
        {"name":"main","ready":true,"started":true,"restartCount":0,
         "image":"registry.example.test/shop/storefront:2.31.4",
         "imageID":"registry.example.test/shop/storefront@sha256:8b1a9953c4611296a827abf8c47804d7e6c49c6b0c7e2a5e8d4b1a0f3c2d1e0f",
         "containerID":"containerd://%3$064d","state":{"running":{"startedAt":"2026-03-01T12:00:04Z"}}}]}}
    """
        .formatted(pod % 250 + 1, pod / 250 % 250, pod);
  }
}
