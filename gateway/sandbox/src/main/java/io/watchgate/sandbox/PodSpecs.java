package io.watchgate.sandbox;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.watchgate.http.JsonObjects;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Defaults and validation of a pod spec or a pod template's spec, after {@code SetDefaults_PodSpec}
 * and related functions of {@code k8s.io/kubernetes/pkg/apis/core/v1}.
 */
final class PodSpecs {
  private static final List<String> RESTARTS = List.of("Always", "OnFailure", "Never");
  private static final int DEFAULT_MODE = 0644;

  private PodSpecs() {}

  /** Sets the defaults that pods and templates share. */
  static void defaults(JsonObject spec) {
    for (String kind : List.of("containers", "initContainers", "ephemeralContainers")) {
      JsonTree.objects(spec, kind).forEach(PodSpecs::container);
    }
    JsonTree.objects(spec, "volumes").forEach(PodSpecs::volume);
    JsonTree.defaultTo(spec, "restartPolicy", "Always");
    JsonTree.defaultTo(spec, "terminationGracePeriodSeconds", 30);
    JsonTree.defaultTo(spec, "dnsPolicy", "ClusterFirst");
    JsonTree.defaultTo(spec, "securityContext", new JsonObject());
    JsonTree.defaultTo(spec, "schedulerName", "default-scheduler");
    if (JsonTree.text(spec, "hostNetwork").equals("true")) {
      for (JsonObject container : JsonTree.objects(spec, "containers")) {
        for (JsonObject port : JsonTree.objects(container, "ports")) {
          JsonTree.defaultTo(port, "hostPort", JsonTree.number(port, 0, "containerPort"));
        }
      }
    }
    String account = JsonTree.text(spec, "serviceAccountName");
    if (!account.isEmpty()) {
      JsonTree.defaultTo(spec, "serviceAccount", account); // the older name of the same member
    }
  }

  private static void container(JsonObject container) {
    for (JsonObject port : JsonTree.objects(container, "ports")) {
      JsonTree.defaultTo(port, "protocol", "TCP");
    }
    for (JsonObject variable : JsonTree.objects(container, "env")) {
      JsonObject reference = JsonTree.object(variable, "valueFrom", "fieldRef");
      if (reference != null) {
        JsonTree.defaultTo(reference, "apiVersion", "v1");
      }
    }
    JsonTree.defaultTo(container, "resources", new JsonObject());
    for (String probe : List.of("livenessProbe", "readinessProbe", "startupProbe")) {
      JsonObject found = JsonTree.object(container, probe);
      if (found != null) {
        probe(found);
      }
    }
    JsonTree.defaultTo(container, "terminationMessagePath", "/dev/termination-log");
    JsonTree.defaultTo(container, "terminationMessagePolicy", "File");
    JsonTree.defaultTo(container, "imagePullPolicy", pullPolicy(JsonTree.text(container, "image")));
  }

  private static void probe(JsonObject probe) {
    JsonTree.defaultTo(probe, "timeoutSeconds", 1);
    JsonTree.defaultTo(probe, "periodSeconds", 10);
    JsonTree.defaultTo(probe, "successThreshold", 1);
    JsonTree.defaultTo(probe, "failureThreshold", 3);
    JsonObject get = JsonTree.object(probe, "httpGet");
    if (get != null) {
      JsonTree.defaultTo(get, "path", "/");
      JsonTree.defaultTo(get, "scheme", "HTTP");
    }
  }

  private static void volume(JsonObject volume) {
    for (String kind : List.of("secret", "configMap", "downwardAPI", "projected")) {
      JsonObject source = JsonTree.object(volume, kind);
      if (source != null) {
        JsonTree.defaultTo(source, "defaultMode", DEFAULT_MODE);
      }
    }
    for (JsonObject source : JsonTree.objects(volume, "projected", "sources")) {
      JsonObject token = JsonTree.object(source, "serviceAccountToken");
      if (token != null) {
        JsonTree.defaultTo(token, "expirationSeconds", 3600);
      }
    }
    JsonObject path = JsonTree.object(volume, "hostPath");
    if (path != null && !path.has("type")) {
      path.addProperty("type", "");
    }
  }

  /**
   * Returns the default pull policy. An image without a tag is the latest, and the latest is always
   * pulled.
   */
  private static String pullPolicy(String image) {
    String name = image.substring(image.lastIndexOf('/') + 1);
    boolean pinned = name.contains("@") || (name.contains(":") && !name.endsWith(":latest"));
    return pinned ? "IfNotPresent" : "Always";
  }

  /** Sets missing requests to the limits. Applies to pods, but not to templates. */
  static void defaultRequestsToLimits(JsonObject spec) {
    for (String kind : List.of("containers", "initContainers")) {
      for (JsonObject container : JsonTree.objects(spec, kind)) {
        JsonObject limits = JsonTree.object(container, "resources", "limits");
        if (limits != null) {
          JsonObject requests =
              JsonTree.objectOrNew(JsonTree.objectOrNew(container, "resources"), "requests");
          limits.asMap().forEach((name, limit) -> JsonTree.defaultTo(requests, name, limit));
        }
      }
    }
  }

  /**
   * Collects the errors of a spec.
   *
   * @param field path of the spec
   */
  static void validate(JsonObject spec, String field, FieldErrors invalid) {
    List<JsonObject> containers = JsonTree.objects(spec, "containers");
    if (containers.isEmpty()) {
      invalid.required(field + ".containers");
    }
    Set<String> names = new HashSet<>();
    containers(JsonTree.objects(spec, "initContainers"), field + ".initContainers", names, invalid);
    containers(containers, field + ".containers", names, invalid);
    String restart = JsonTree.text(spec, "restartPolicy");
    if (!RESTARTS.contains(restart)) {
      invalid.unsupported(field + ".restartPolicy", restart, RESTARTS);
    }
    Metadata.labels(JsonTree.object(spec, "nodeSelector"), field + ".nodeSelector", invalid);
  }

  private static void containers(
      List<JsonObject> containers, String field, Set<String> names, FieldErrors invalid) {
    for (int i = 0; i < containers.size(); i++) {
      String at = field + "[" + i + "]";
      String name = JsonTree.text(containers.get(i), "name");
      if (name.isEmpty()) {
        invalid.required(at + ".name");
      } else {
        String wrong = NameRule.LABEL.errorIn(name);
        if (!wrong.isEmpty()) {
          invalid.invalid(at + ".name", name, wrong);
        }
      }
      String image = JsonTree.text(containers.get(i), "image");
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

  private static void ports(JsonObject container, String field, FieldErrors invalid) {
    List<JsonObject> ports = JsonTree.objects(container, "ports");
    for (int i = 0; i < ports.size(); i++) {
      invalid.checkPort(ports.get(i), "containerPort", field + ".ports[" + i + "]");
    }
  }

  /** Returns {@code Guaranteed}, {@code Burstable} or {@code BestEffort}. */
  static String qualityOfService(JsonObject spec) {
    boolean any = false;
    boolean guaranteed = true;
    for (String kind : List.of("containers", "initContainers")) {
      for (JsonObject container : JsonTree.objects(spec, kind)) {
        for (String resource : List.of("cpu", "memory")) {
          String limit = JsonTree.text(container, "resources", "limits", resource);
          String request = JsonTree.text(container, "resources", "requests", resource);
          any |= !limit.isEmpty() || !request.isEmpty();
          guaranteed &= !limit.isEmpty() && limit.equals(request);
        }
      }
    }
    return !any ? "BestEffort" : guaranteed ? "Guaranteed" : "Burstable";
  }

  /** Adds tolerations for failing nodes (300 s), unless the pod has its own. */
  static void addNodeTolerations(JsonObject spec) {
    JsonTree.defaultTo(spec, "tolerations", new JsonArray());
    if (!(spec.get("tolerations") instanceof JsonArray tolerations)) {
      return;
    }
    for (String key : List.of("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")) {
      boolean said =
          JsonTree.objects(spec, "tolerations").stream()
              .filter(one -> List.of("", "NoExecute").contains(JsonTree.text(one, "effect")))
              .anyMatch(one -> List.of("", key).contains(JsonTree.text(one, "key")));
      if (!said) {
        tolerations.add(
            JsonObjects.of(
                "key", key, "operator", "Exists", "effect", "NoExecute", "tolerationSeconds", 300));
      }
    }
  }
}
