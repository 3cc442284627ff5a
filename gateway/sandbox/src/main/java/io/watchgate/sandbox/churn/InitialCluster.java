package io.watchgate.sandbox.churn;

import com.google.gson.JsonObject;
import io.watchgate.cache.TimeSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Initial objects of the cluster: nodes, namespaces, and deployments with their services and config
 * maps.
 */
final class InitialCluster {
  /** Format of {@code metav1.MicroTime}. */
  static final DateTimeFormatter MICROS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

  private static final List<String> NAMESPACES = List.of("shop", "bank", "media", "search");
  private static final List<String> APPS =
      List.of("web", "api", "cart", "worker", "mail", "billing", "images", "index");

  private final ClusterClient cluster;
  private final RandomGenerator random;
  private final TimeSource time;

  InitialCluster(ClusterClient cluster, RandomGenerator random, TimeSource time) {
    this.cluster = cluster;
    this.random = random;
    this.time = time;
  }

  void create(int nodes) {
    for (int i = 1; i <= nodes; i++) {
      cluster.create(SimulatedKind.NODES, "", node("node-" + i));
    }
    int wanted = nodes * ChurnSettings.PODS_PER_NODE;
    for (int i = 0, pods = 0; pods < wanted; i++) {
      String namespace = NAMESPACES.get(i % NAMESPACES.size());
      if (i < NAMESPACES.size()) {
        cluster.create(
            SimulatedKind.NAMESPACES,
            "",
            ClusterClient.parse(
                """
                {"kind":"Namespace","apiVersion":"v1","metadata":{"name":"%s"}}\
                """
                    .formatted(namespace)));
      }
      int most = Math.max(4, Math.min(50, nodes));
      int replicas = Math.min(wanted - pods, 1 + random.nextInt(most));
      pods += replicas;
      int round = i / (NAMESPACES.size() * APPS.size());
      String app = APPS.get(i / NAMESPACES.size() % APPS.size()) + (round == 0 ? "" : "-" + round);
      cluster.create(SimulatedKind.SERVICES, namespace, service(app));
      cluster.create(SimulatedKind.CONFIG_MAPS, namespace, settings(app));
      cluster.create(SimulatedKind.DEPLOYMENTS, namespace, deployment(app, replicas));
    }
  }

  /** Returns the address of a node, derived from its name. */
  static String address(String node) {
    int number = Math.floorMod(node.hashCode(), 1 << 16);
    return "10.0.%d.%d".formatted(number >> 8, number & 255);
  }

  private JsonObject node(String name) {
    String now = time.now().truncatedTo(ChronoUnit.SECONDS).toString();
    return ClusterClient.parse(
        """
        {"kind":"Node","apiVersion":"v1",
         "metadata":{"name":"%s","labels":{"kubernetes.io/hostname":"%s","kubernetes.io/os":"linux",
           "kubernetes.io/arch":"amd64","topology.kubernetes.io/zone":"zone-%s"}},
         "spec":{},
         "status":{"capacity":{"cpu":"8","memory":"32Gi","pods":"110"},
           "allocatable":{"cpu":"8","memory":"31Gi","pods":"110"},
           "addresses":[{"type":"InternalIP","address":"%s"},{"type":"Hostname","address":"%s"}],
           "conditions":[{"type":"Ready","status":"True","reason":"KubeletReady",
             "message":"kubelet is posting ready status",
             "lastHeartbeatTime":"%s","lastTransitionTime":"%s"}],
           "nodeInfo":{"machineID":"","systemUUID":"","bootID":"","kernelVersion":"6.12.0",
             "osImage":"Simulated Linux","containerRuntimeVersion":"containerd://2.1.0",
             "kubeletVersion":"v1.36.0","kubeProxyVersion":"","operatingSystem":"linux",
             "architecture":"amd64"}}}\
        """
            .formatted(
                name, name, (char) ('a' + random.nextInt(3)), address(name), name, now, now));
  }

  private static JsonObject service(String app) {
    return ClusterClient.parse(
        """
        {"kind":"Service","apiVersion":"v1","metadata":{"name":"%s","labels":{"app":"%s"}},
         "spec":{"selector":{"app":"%s"},
           "ports":[{"name":"http","port":80,"targetPort":8080,"protocol":"TCP"}]}}\
        """
            .formatted(app, app, app));
  }

  private static JsonObject settings(String app) {
    return ClusterClient.parse(
        """
        {"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"%s","labels":{"app":"%s"}},
         "data":{"log.level":"info","cache.size":"128"}}\
        """
            .formatted(app, app));
  }

  private JsonObject deployment(String app, int replicas) {
    String release = random.nextInt(4) == 0 ? "canary" : "stable";
    return ClusterClient.parse(
        """
        {"kind":"Deployment","apiVersion":"apps/v1",
         "metadata":{"name":"%s","labels":{"app":"%s"}},
         "spec":{"replicas":%d,"selector":{"matchLabels":{"app":"%s"}},
           "strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1,"maxUnavailable":0}},
           "template":{"metadata":{"labels":{"app":"%s","release":"%s"}},
             "spec":{"containers":[{"name":"main","image":"%s",
               "ports":[{"name":"http","containerPort":8080,"protocol":"TCP"}],
               "envFrom":[{"configMapRef":{"name":"%s"}}],
               "resources":{"requests":{"cpu":"100m","memory":"128Mi"},
                 "limits":{"memory":"256Mi"}},
               "readinessProbe":{"httpGet":{"path":"/ready","port":"http"},"periodSeconds":5}}],
               "terminationGracePeriodSeconds":5}}}}\
        """
            .formatted(app, app, replicas, app, app, release, image(app, 1), app));
  }

  static String image(String app, int release) {
    return "registry.example/" + app + ":1." + release;
  }
}
