package io.watchgate.sandbox.churn;

import com.google.gson.JsonObject;
import io.watchgate.cache.KeyRange;
import io.watchgate.cache.Revision;
import io.watchgate.cache.StateCursor;
import io.watchgate.json.KubeObject;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Changes by the users of a cluster and their tools: roll out releases, scale, change settings,
 * drain nodes, delete a pod. Each user acts every few seconds; larger clusters have more users
 * ({@link ChurnSettings}).
 */
final class SimulatedUsers {
  private final ClusterClient cluster;
  private final SimulationQueue queue;
  private final PodIndex pods;
  private final RandomGenerator random;
  private final ChurnSettings settings;
  private int releases = 1;

  SimulatedUsers(
      ClusterClient cluster,
      SimulationQueue queue,
      PodIndex pods,
      RandomGenerator random,
      ChurnSettings settings) {
    this.settings = settings;
    this.cluster = cluster;
    this.queue = queue;
    this.pods = pods;
    this.random = random;
  }

  /** Starts one user for every ten nodes, and at least one. */
  void start() {
    for (int i = 0; i < Math.max(1, settings.nodes() / ChurnSettings.NODES_PER_USER); i++) {
      scheduleNext();
    }
  }

  private void scheduleNext() {
    queue.schedule(settings.pace().userChange(), this::act);
  }

  private void act() {
    switch (random.nextInt(10)) {
      case 0, 1, 2, 3 -> chooseAny(SimulatedKind.DEPLOYMENTS).ifPresent(this::roll);
      case 4, 5 -> chooseAny(SimulatedKind.DEPLOYMENTS).ifPresent(this::scale);
      case 6 -> chooseAny(SimulatedKind.CONFIG_MAPS).ifPresent(this::configure);
      case 7 -> chooseAny(SimulatedKind.NODES).ifPresent(this::drain);
      default ->
          chooseAny(SimulatedKind.PODS)
              .ifPresent(pod -> cluster.delete(SimulatedKind.PODS, ObjectName.of(pod)));
    }
    scheduleNext();
  }

  /** Chooses any object of the type; empty if the simulation did not create the chosen object. */
  private Optional<JsonObject> chooseAny(SimulatedKind kind) {
    Revision head = cluster.cache(kind).head();
    if (head == null || head.state().size() == 0) {
      return Optional.empty();
    }
    StateCursor cursor = head.state().cursor(KeyRange.ALL);
    for (int skip = random.nextInt(head.state().size()); skip > 0; skip--) {
      cursor.advance();
    }
    KubeObject view = cursor.peek();
    return Optional.ofNullable(view).map(ClusterClient::parse).filter(this::isOurs);
  }

  private boolean isOurs(JsonObject object) {
    return Pod.text(object, "kind").equals("Node")
        ? Pod.text(object.getAsJsonObject("metadata"), "name").startsWith("node-")
        : Pod.object(object.getAsJsonObject("metadata"), "labels").has("app");
  }

  private void roll(JsonObject deployment) {
    releases++;
    String app = ObjectName.of(deployment).name();
    JsonObject patch =
        ClusterClient.parse(
            """
            {"spec":{"template":{"metadata":{"annotations":{"release":"%d"}}}}}\
            """
                .formatted(releases));
    var containers =
        deployment
            .getAsJsonObject("spec")
            .getAsJsonObject("template")
            .getAsJsonObject("spec")
            .getAsJsonArray("containers")
            .deepCopy();
    containers.get(0).getAsJsonObject().addProperty("image", InitialCluster.image(app, releases));
    JsonObject spec = new JsonObject();
    spec.add("containers", containers);
    patch.getAsJsonObject("spec").getAsJsonObject("template").add("spec", spec);
    cluster.merge(SimulatedKind.DEPLOYMENTS, ObjectName.of(deployment), patch);
  }

  private void scale(JsonObject deployment) {
    int now = deployment.getAsJsonObject("spec").get("replicas").getAsInt();
    int then = Math.max(1, now + (random.nextBoolean() ? 1 : -1));
    cluster.merge(
        SimulatedKind.DEPLOYMENTS,
        ObjectName.of(deployment),
        ClusterClient.parse("{\"spec\":{\"replicas\":" + then + "}}"));
  }

  private void configure(JsonObject settings) {
    cluster.merge(
        SimulatedKind.CONFIG_MAPS,
        ObjectName.of(settings),
        ClusterClient.parse("{\"data\":{\"cache.size\":\"" + (64 << random.nextInt(6)) + "\"}}"));
  }

  /** Cordons a node, deletes its pods, and uncordons the node some time later. */
  private void drain(JsonObject node) {
    ObjectName key = ObjectName.of(node);
    cluster.merge(
        SimulatedKind.NODES, key, ClusterClient.parse("{\"spec\":{\"unschedulable\":true}}"));
    pods.all().stream()
        .filter(pod -> pod.node().equals(key.name()))
        .toList()
        .forEach(
            pod ->
                queue.schedule(
                    ChurnSettings.DRAIN_DELETE,
                    () -> cluster.delete(SimulatedKind.PODS, pod.key())));
    queue.schedule(
        ChurnSettings.DRAIN_END,
        () ->
            cluster.merge(
                SimulatedKind.NODES,
                key,
                ClusterClient.parse("{\"spec\":{\"unschedulable\":null}}")));
  }
}
