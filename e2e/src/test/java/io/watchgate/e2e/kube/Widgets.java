package io.watchgate.e2e.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Custom resource with selectable fields: a string, an integer and a boolean, in its first version
 * only.
 */
public final class Widgets {
  public static final Resource V1 = new Resource("e2e.watchgate.io", "v1", "widgets", "Widget");
  public static final Resource V2 = new Resource("e2e.watchgate.io", "v2", "widgets", "Widget");

  private static final String NAME = "widgets.e2e.watchgate.io";

  private static final Duration LIMIT = Duration.ofMinutes(3);

  // The schemas differ by a description: the apiserver refuses two versions of one schema whose
  // selectableFields differ.
  private static final String DEFINITION =
      """
      {"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
       "metadata":{"name":"widgets.e2e.watchgate.io"},
       "spec":{"group":"e2e.watchgate.io","scope":"Namespaced",
         "names":{"plural":"widgets","singular":"widget","kind":"Widget","shortNames":["wg"]},
         "versions":[
           {"name":"v1","served":true,"storage":true,
            "schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":SPEC}}},
            "selectableFields":[{"jsonPath":".spec.color"},{"jsonPath":".spec.size"},
                                {"jsonPath":".spec.active"}]},
           {"name":"v2","served":true,"storage":false,
            "schema":{"openAPIV3Schema":{"type":"object","description":"the second version",
                      "properties":{"spec":SPEC}}}}]}}
      """
          .replace(
              "SPEC",
              """
              {"type":"object","x-kubernetes-preserve-unknown-fields":true,
               "properties":{"color":{"type":"string"},"size":{"type":"integer"},
                             "active":{"type":"boolean"}}}
              """);

  private Widgets() {}

  /**
   * Installs the definition. Returns once both versions are served and discovered; does nothing if
   * they already are.
   */
  public static void install(Cluster cluster) {
    install(cluster, DEFINITION);
  }

  /** Installs widgets as a cluster-scoped type. Widgets with namespaces must not be installed. */
  public static void installWithoutNamespaces(Cluster cluster) {
    if (isInstalled(cluster)) {
      throw new IllegalStateException("there are widgets already");
    }
    install(cluster, DEFINITION.replace("\"Namespaced\"", "\"Cluster\""));
  }

  private static void install(Cluster cluster, String definition) {
    try {
      cluster.create(Resource.DEFINITIONS, Json.parse(definition));
    } catch (KubeException e) {
      if (e.code() != 409) {
        throw e;
      }
    }
    for (Resource type : List.of(V1, V2)) {
      await(type + " is not served", () -> served(cluster, type));
    }
  }

  /**
   * Changes the schema, which ends all watches and makes the apiserver drop the history. Returns
   * once the type is served again; earlier versions are then expired (410).
   */
  public static void renew(Cluster cluster) {
    String before = list(cluster);
    cluster.patch(
        Resource.DEFINITIONS,
        "",
        NAME,
        "{\"spec\":{\"names\":{\"categories\":[\"since-" + before + "\"]}}}");
    await(
        "version " + before + " of widgets is not expired",
        () ->
            cluster
                    .list(
                        V1,
                        "",
                        Map.of("watch", "1", "resourceVersion", before, "timeoutSeconds", "1"))
                    .at("/object/code")
                    .intValue()
                == 410);
  }

  /**
   * Stops serving the second version, which requests without a version get. Returns when it is no
   * longer discovered.
   */
  public static void retireSecondVersion(Cluster cluster) {
    ArrayNode versions = (ArrayNode) Json.parse(DEFINITION).at("/spec/versions");
    ((ObjectNode) versions.get(1)).put("served", false);
    cluster.patch(Resource.DEFINITIONS, "", NAME, "{\"spec\":{\"versions\":" + versions + "}}");
    await(V2 + " is still served", () -> !discovered(cluster).contains(V2.version()));
  }

  private static List<String> discovered(Cluster cluster) {
    return cluster.read("/apis/" + V2.group()).at("/versions").findValuesAsText("version");
  }

  /** Removes the definition. Returns when it and all widgets are deleted. */
  public static void remove(Cluster cluster) {
    cluster.delete(Resource.DEFINITIONS, "", NAME);
    await(NAME + " is still there", () -> !isInstalled(cluster));
  }

  /** Returns whether the definition is installed. */
  public static boolean isInstalled(Cluster cluster) {
    for (JsonNode definition : cluster.list(Resource.DEFINITIONS, "", Map.of()).path("items")) {
      if (definition.at("/metadata/name").textValue().equals(NAME)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns an object to create.
   *
   * @param namespace empty: none
   * @param spec a JSON object
   */
  public static JsonNode widget(String namespace, String name, String spec) {
    return Json.parse(
        """
        {"apiVersion":"e2e.watchgate.io/v1","kind":"Widget",
         "metadata":{"namespace":"%s","name":"%s"},"spec":%s}
        """
            .formatted(namespace, name, spec));
  }

  private static boolean served(Cluster cluster, Resource type) {
    cluster.list(type, "", Map.of());
    return !cluster.read("/apis/" + type.apiVersion()).get("resources").isEmpty();
  }

  private static String list(Cluster cluster) {
    return cluster.list(V1, "", Map.of()).at("/metadata/resourceVersion").textValue();
  }

  /** Waits until {@code done}; a request that the apiserver refuses counts as not done. */
  private static void await(String otherwise, BooleanSupplier done) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (System.nanoTime() < end) {
      try {
        if (done.getAsBoolean()) {
          return;
        }
      } catch (KubeException e) {
        // 404 and 429 while a definition is being installed
      }
      LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
    }
    throw new IllegalStateException(otherwise + " after " + LIMIT.toSeconds() + " s");
  }
}
