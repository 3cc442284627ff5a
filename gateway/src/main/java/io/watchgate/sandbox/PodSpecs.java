package io.watchgate.sandbox;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What the apiserver fills into the spec of a pod, or of a template for pods, and what it checks:
 * {@code SetDefaults_PodSpec} and its like of {@code k8s.io/kubernetes/pkg/apis/core/v1}.
 */
final class PodSpecs {
  private static final List<String> RESTARTS = List.of("Always", "OnFailure", "Never");
  private static final int DEFAULT_MODE = 0644;

  private PodSpecs() {}

  /** Fills in what pods and templates have alike. */
  static void defaults(JsonObject spec) {
    for (String kind : List.of("containers", "initContainers", "ephemeralContainers")) {
      Tree.objects(spec, kind).forEach(PodSpecs::container);
    }
    Tree.objects(spec, "volumes").forEach(PodSpecs::volume);
    Tree.defaultTo(spec, "restartPolicy", "Always");
    Tree.defaultTo(spec, "terminationGracePeriodSeconds", 30);
    Tree.defaultTo(spec, "dnsPolicy", "ClusterFirst");
    Tree.defaultTo(spec, "securityContext", new JsonObject());
    Tree.defaultTo(spec, "schedulerName", "default-scheduler");
    if (Tree.text(spec, "hostNetwork").equals("true")) {
      for (JsonObject container : Tree.objects(spec, "containers")) {
        for (JsonObject port : Tree.objects(container, "ports")) {
          Tree.defaultTo(port, "hostPort", Tree.number(port, 0, "containerPort"));
        }
      }
    }
    String account = Tree.text(spec, "serviceAccountName");
    if (!account.isEmpty()) {
      Tree.defaultTo(spec, "serviceAccount", account); // the older name of the same
    }
  }

  private static void container(JsonObject container) {
    for (JsonObject port : Tree.objects(container, "ports")) {
      Tree.defaultTo(port, "protocol", "TCP");
    }
    for (JsonObject variable : Tree.objects(container, "env")) {
      JsonObject reference = Tree.object(variable, "valueFrom", "fieldRef");
      if (reference != null) {
        Tree.defaultTo(reference, "apiVersion", "v1");
      }
    }
    Tree.defaultTo(container, "resources", new JsonObject());
    for (String probe : List.of("livenessProbe", "readinessProbe", "startupProbe")) {
      JsonObject found = Tree.object(container, probe);
      if (found != null) {
        probe(found);
      }
    }
    Tree.defaultTo(container, "terminationMessagePath", "/dev/termination-log");
    Tree.defaultTo(container, "terminationMessagePolicy", "File");
    Tree.defaultTo(container, "imagePullPolicy", pullPolicy(Tree.text(container, "image")));
  }

  private static void probe(JsonObject probe) {
    Tree.defaultTo(probe, "timeoutSeconds", 1);
    Tree.defaultTo(probe, "periodSeconds", 10);
    Tree.defaultTo(probe, "successThreshold", 1);
    Tree.defaultTo(probe, "failureThreshold", 3);
    JsonObject get = Tree.object(probe, "httpGet");
    if (get != null) {
      Tree.defaultTo(get, "path", "/");
      Tree.defaultTo(get, "scheme", "HTTP");
    }
  }

  private static void volume(JsonObject volume) {
    for (String kind : List.of("secret", "configMap", "downwardAPI", "projected")) {
      JsonObject source = Tree.object(volume, kind);
      if (source != null) {
        Tree.defaultTo(source, "defaultMode", DEFAULT_MODE);
      }
    }
    for (JsonObject source : Tree.objects(volume, "projected", "sources")) {
      JsonObject token = Tree.object(source, "serviceAccountToken");
      if (token != null) {
        Tree.defaultTo(token, "expirationSeconds", 3600);
      }
    }
    JsonObject path = Tree.object(volume, "hostPath");
    if (path != null && !path.has("type")) {
      path.addProperty("type", "");
    }
  }

  /** An image without a tag is the latest, and the latest is pulled always. */
  private static String pullPolicy(String image) {
    String name = image.substring(image.lastIndexOf('/') + 1);
    boolean pinned = name.contains("@") || (name.contains(":") && !name.endsWith(":latest"));
    return pinned ? "IfNotPresent" : "Always";
  }

  /** Fills in what is requested from what is the limit, as for pods and not for templates. */
  static void requestWhatIsLimited(JsonObject spec) {
    for (String kind : List.of("containers", "initContainers")) {
      for (JsonObject container : Tree.objects(spec, kind)) {
        JsonObject limits = Tree.object(container, "resources", "limits");
        if (limits != null) {
          JsonObject requests =
              Tree.objectOrNew(Tree.objectOrNew(container, "resources"), "requests");
          limits
              .entrySet()
              .forEach(limit -> Tree.defaultTo(requests, limit.getKey(), limit.getValue()));
        }
      }
    }
  }

  /**
   * Collects what is wrong.
   *
   * @param field where the spec stands
   */
  static void validate(JsonObject spec, String field, Invalid invalid) {
    List<JsonObject> containers = Tree.objects(spec, "containers");
    if (containers.isEmpty()) {
      invalid.required(field + ".containers");
    }
    Set<String> names = new HashSet<>();
    containers(Tree.objects(spec, "initContainers"), field + ".initContainers", names, invalid);
    containers(containers, field + ".containers", names, invalid);
    String restart = Tree.text(spec, "restartPolicy");
    if (!RESTARTS.contains(restart)) {
      invalid.unsupported(field + ".restartPolicy", restart, RESTARTS);
    }
    Metadata.labels(Tree.object(spec, "nodeSelector"), field + ".nodeSelector", invalid);
  }

  private static void containers(
      List<JsonObject> containers, String field, Set<String> names, Invalid invalid) {
    for (int i = 0; i < containers.size(); i++) {
      String at = field + "[" + i + "]";
      String name = Tree.text(containers.get(i), "name");
      if (name.isEmpty()) {
        invalid.required(at + ".name");
      } else {
        String wrong = NameRule.LABEL.wrongWith(name);
        if (!wrong.isEmpty()) {
          invalid.invalid(at + ".name", name, wrong);
        }
      }
      String image = Tree.text(containers.get(i), "image");
      if (image.isEmpty()) {
        invalid.required(at + ".image");
      } else if (!image.strip().equals(image)) {
        invalid.invalid(at + ".image", image, "must not have leading or trailing whitespace");
      }
      if (!name.isEmpty() && !names.add(name)) {
        invalid.duplicate(at + ".name", name);
      }
      ports(containers.get(i), at, invalid);
    }
  }

  private static void ports(JsonObject container, String field, Invalid invalid) {
    List<JsonObject> ports = Tree.objects(container, "ports");
    for (int i = 0; i < ports.size(); i++) {
      Ports.check(ports.get(i), "containerPort", field + ".ports[" + i + "]", invalid);
    }
  }

  /** {@code Guaranteed}, {@code Burstable} or {@code BestEffort}. */
  static String qualityOfService(JsonObject spec) {
    boolean any = false;
    boolean guaranteed = true;
    for (String kind : List.of("containers", "initContainers")) {
      for (JsonObject container : Tree.objects(spec, kind)) {
        for (String resource : List.of("cpu", "memory")) {
          String limit = Tree.text(container, "resources", "limits", resource);
          String request = Tree.text(container, "resources", "requests", resource);
          any |= !limit.isEmpty() || !request.isEmpty();
          guaranteed &= !limit.isEmpty() && limit.equals(request);
        }
      }
    }
    return !any ? "BestEffort" : guaranteed ? "Guaranteed" : "Burstable";
  }

  /** That a pod is left alone for a while on a node that fails, unless it says otherwise. */
  static void tolerateFailingNodes(JsonObject spec) {
    Tree.defaultTo(spec, "tolerations", new JsonArray());
    if (!(spec.get("tolerations") instanceof JsonArray tolerations)) {
      return;
    }
    for (String key : List.of("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")) {
      boolean said =
          Tree.objects(spec, "tolerations").stream()
              .filter(one -> List.of("", "NoExecute").contains(Tree.text(one, "effect")))
              .anyMatch(one -> List.of("", key).contains(Tree.text(one, "key")));
      if (!said) {
        JsonObject toleration = new JsonObject();
        toleration.addProperty("key", key);
        toleration.addProperty("operator", "Exists");
        toleration.addProperty("effect", "NoExecute");
        toleration.addProperty("tolerationSeconds", 300);
        tolerations.add(toleration);
      }
    }
  }
}
